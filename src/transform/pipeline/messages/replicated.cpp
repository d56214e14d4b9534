#include "transform/pipeline/messages/replicated.h"

#include <algorithm>
#include <map>

#include "foreflow/ir/attribute_keys.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// Numbers values so that equal ones have equal numbers.
class Numbering {
 public:
  Numbering(const ir::Function& function, const std::vector<int32_t>& equal_parameters)
      : function_(function), numbers_(function.values.size()) {
    for (size_t i = 0; i < function.parameters.size(); ++i)
      numbers_[i] = i < equal_parameters.size() && equal_parameters[i] >= 0
                        ? number({kParameter, static_cast<uint64_t>(equal_parameters[i])})
                        : fresh();
    for (const ir::Op& op : function.ops) visit(op);
  }

  const std::vector<uint64_t>& numbers() const { return numbers_; }

 private:
  static constexpr uint64_t kParameter = 0, kNoOperand = ~uint64_t{0};

  void visit(const ir::Op& op) {
    if (op.def->role == ir::Role::communication) {
      const bool same_for_all = op.def->communication == ir::Communication::all_reduce ||
                                op.def->communication == ir::Communication::all_gather;
      const uint64_t of_each = fresh();
      for (uint32_t i = 0; i < op.result_count; ++i) numbers_[op.first_result + i] = same_for_all ? of_each : fresh();
      return;
    }
    std::vector<uint64_t> key{reinterpret_cast<uint64_t>(op.def), attributes_.of(op.attributes), 0};
    for (const ValueId id : function_.inputs(op))
      key.push_back(id == ValueId::none ? kNoOperand : numbers_[ir::index(id)]);
    for (uint32_t i = 0; i < op.result_count; ++i) {
      key[2]                        = i;
      numbers_[op.first_result + i] = number(key);
    }
  }

  uint64_t fresh() { return next_++; }
  uint64_t number(const std::vector<uint64_t>& key) {
    const auto [found, made] = known_.try_emplace(key, next_);
    if (made) ++next_;
    return found->second;
  }

  const ir::Function& function_;
  std::vector<uint64_t> numbers_;  // per value
  ir::AttributeKeys attributes_;
  std::map<std::vector<uint64_t>, uint64_t> known_;
  uint64_t next_ = 0;
};

}  // namespace

Replicated replicated_values(const ir::Function& function, const interpret::Values<LaidOut>& values,
                             const std::vector<int32_t>& equal_parameters) {
  const Numbering numbering(function, equal_parameters);
  int32_t devices = 1;
  for (const LaidOut& value : values) devices = std::max(devices, ir::device_of(value.value.type).index);
  // By number and device.
  std::map<uint64_t, std::map<int32_t, std::vector<ValueId>>> equal;
  for (size_t value = 0; value < function.values.size(); ++value) {
    const int32_t device = ir::device_of(values[value].value.type).index;
    if (device > 0) equal[numbering.numbers()[value]][device].push_back(static_cast<ValueId>(value));
  }
  Replicated replicated{{}, std::vector<int32_t>(function.values.size(), -1)};
  for (const auto& [number, by_device] : equal) {
    const size_t count = by_device.begin()->second.size();
    const bool all     = by_device.size() == static_cast<size_t>(devices) &&
                     std::all_of(by_device.begin(), by_device.end(),
                                 [count](const auto& one) { return one.second.size() == count; });
    for (size_t i = 0; all && devices > 1 && i < count; ++i) {
      for (const auto& [device, ids] : by_device)
        replicated.group_of[ir::index(ids[i])] = static_cast<int32_t>(replicated.groups.size());
      replicated.groups.emplace_back();
      for (const auto& [device, ids] : by_device) replicated.groups.back().push_back(ids[i]);
    }
  }
  return replicated;
}

}  // namespace foreflow::transform
