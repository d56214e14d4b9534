// Memoises the steps of an interpretation. A step applies an op with its attributes, or a function, to values. A
// program repeats few distinct steps very often; each is interpreted once.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "foreflow/base/sequence_table.h"
#include "foreflow/interpret/values.h"
#include "foreflow/ir/attribute_keys.h"
#include "foreflow/ir/module.h"

namespace foreflow::interpret {

// The device of the caller for each device of the callee: map[i] stands for D(i + 1). Devices of an instance are
// numbered 1, 2, ... in the order of their first occurrence among the arguments; streams keep their names.
using DeviceMap = std::vector<int32_t>;

// A domain in which a step is determined by the keys of its operands; see kMemoised in interpreter.h.
template <class Domain>
concept Memoised = requires {
  requires Domain::kMemoised;
};

// Numbers the distinct values of an interpretation and identifies a step by its op and the numbers of its operands. In
// a domain that is not memoised every value counts as distinct.
template <class Domain>
class StepMemo {
 public:
  using Value = typename Domain::Value;

  struct Step {
    std::vector<uint32_t> results;  // the numbers of its results
    int32_t callee = -1;            // of a call: the called instance
    DeviceMap map;                  // of a call: the devices of the instance
  };

  const std::shared_ptr<std::vector<Value>>& distinct() const { return distinct_; }

  // The number of `value`.
  uint32_t number(const Domain& domain, Value value) {
    const auto next = static_cast<uint32_t>(distinct_->size());
    if constexpr (Memoised<Domain>) {
      key_.clear();
      domain.append_key(value, key_);
      const auto [known, fresh] = numbers_.try_emplace(key_, next);
      if (!fresh) return known->second;
    }
    distinct_->push_back(std::move(value));
    return next;
  }

  // The number of the step that applies `op` to `values`. A new step gets the number `steps()` had before the call;
  // `keep` must store it before `step` reads it.
  uint32_t find(const ir::Function& function, const ir::Op& op, const Values<Value>& values) {
    words_.clear();
    words_.push_back(op.is_call() ? static_cast<uint64_t>(op.callee) : reinterpret_cast<uint64_t>(op.def));
    words_.push_back(attributes_.of(op.attributes));
    words_.push_back(op.result_count);
    for (const ir::ValueId id : function.inputs(op))
      words_.push_back(id == ir::ValueId::none ? kAbsent : values.number(ir::index(id)));
    for (size_t i = 0; i < op.result_count; ++i)
      words_.push_back(reinterpret_cast<uint64_t>(function.values[op.first_result + i].annotation.get()));
    return signatures_.number(words_);
  }
  size_t steps() const { return signatures_.size(); }
  const Step& step(uint32_t number) const { return steps_[number]; }
  void keep(uint32_t number, Step step) {
    if (number >= steps_.size()) steps_.resize(number + 1);
    steps_[number] = std::move(step);
  }

 private:
  static constexpr uint64_t kAbsent = ~uint64_t{0};

  std::shared_ptr<std::vector<Value>> distinct_ = std::make_shared<std::vector<Value>>();
  std::unordered_map<std::string, uint32_t> numbers_;
  ir::AttributeKeys attributes_;
  SequenceTable signatures_;
  std::vector<Step> steps_;
  std::string key_;              // scratch
  std::vector<uint64_t> words_;  // scratch
};

}  // namespace foreflow::interpret
