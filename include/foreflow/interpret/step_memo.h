// What the ops and calls of a program gave before. A program repeats few distinct steps very often: the same op with
// the same attributes on equal values, or the same function on them. Each is interpreted once.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "foreflow/base/sequence_table.h"
#include "foreflow/interpret/values.h"
#include "foreflow/ir/module.h"

namespace foreflow::interpret {

// Which device of the caller each device of the callee stands for. Devices inside an instance are numbered 1, 2, ... in
// the order in which they first occur among the arguments; streams keep their names.
using DeviceMap = std::vector<int32_t>;  // [number inside - 1] = number outside

// Domains whose `append_key` tells cheaply all that `apply` depends on say so (kMemoised).
template <class Domain>
concept Memoised = requires {
  requires Domain::kMemoised;
};

// Numbers the distinct values of an interpretation, so that a step is known by a few words. Domain as in interpreter.h;
// where it is not memoised, every value counts as distinct.
template <class Domain>
class StepMemo {
 public:
  using Value = typename Domain::Value;

  struct Step {
    std::vector<uint32_t> results;  // numbers of values
    int32_t callee = -1;            // a call: the instance
    DeviceMap map;                  // a call: its devices
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

  // The number of the step that applies `op` to `values`; it is `steps()` before the call when it is new, and must then
  // be kept before it is asked for.
  uint32_t find(const ir::Function& function, const ir::Op& op, const Values<Value>& values) {
    words_.clear();
    words_.push_back(op.is_call() ? static_cast<uint64_t>(op.callee) : reinterpret_cast<uint64_t>(op.def));
    words_.push_back(reinterpret_cast<uint64_t>(op.attributes.get()));
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
  SequenceTable signatures_;
  std::vector<Step> steps_;
  std::string key_;              // scratch
  std::vector<uint64_t> words_;  // scratch
};

}  // namespace foreflow::interpret
