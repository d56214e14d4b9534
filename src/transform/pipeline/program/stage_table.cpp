#include "transform/pipeline/program/stage_table.h"

#include <memory>

#include "foreflow/ir/pipeline_ends.h"

namespace foreflow::transform {

using ir::ValueId;
using schedule::PlacedTask;

StageFunctionKey Begun::before(const PlacedTask& task) {
  std::vector<bool>& begun = begun_.try_emplace({task.device, task.stage}, kParts).first->second;
  const Parts parts        = parts_of(task.task.phase);
  std::vector<bool> known(kParts);
  for (int part = parts.first; part <= parts.last; ++part) {
    const auto p = static_cast<size_t>(part);
    known[p]     = begun[p];
    begun[p]     = !outliner_.sums(task.stage, part).empty();
  }
  return {task.task.phase, task.stage, std::move(known)};
}

void StageFunctions::outline(const std::vector<PlacedTask>& tasks, ir::Module& module, int stages,
                             AlikeFunctions* alike) {
  Begun begun(outliner_);
  for (const PlacedTask& task : tasks) {
    if (!is_empty(task)) functions_.try_emplace(begun.before(task));
  }
  std::map<size_t, size_t> numbers;  // in the module
  for (auto& [key, made] : functions_) {
    const auto& [phase, stage, parts] = key;
    made.outlined                     = outliner_.outline(phase, stage, parts);
    if (stages > 0) mark_ends(phase, stage, stages, made.outlined.function);
    const auto [found, fresh] =
        numbers.try_emplace(alike != nullptr ? alike->number(made.outlined) : numbers.size(), module.functions.size());
    made.number = found->second;
    if (fresh) module.functions.push_back(std::move(made.outlined.function));
  }
  find_readers();
}

void StageFunctions::mark_ends(schedule::Phase phase, int stage, int stages, ir::Function& function) {
  // The second part of a backward pass counts only where there is no first.
  const bool second = phase == schedule::Phase::weight_grad && !outliner_.is_empty(schedule::Phase::input_grad, stage);
  const int ends    = second ? 0 : static_cast<int>(stage == 0) + static_cast<int>(stage + 1 == stages);
  const auto computes = [](const ir::Op& op) {
    return op.def->role == ir::Role::compute || op.def->role == ir::Role::loss_gradient;
  };
  // All of them, because later passes replace some.
  for (ir::Op& op : function.ops) {
    if (!computes(op)) continue;
    ir::AttributesRef& marked = marked_[{op.attributes, ends}];
    if (marked == nullptr) {
      ir::Attributes attributes = *op.attributes;
      attributes.set(std::string(ir::kPipelineEnds), static_cast<int64_t>(ends));
      marked = std::make_shared<const ir::Attributes>(std::move(attributes));
    }
    op.attributes = marked;
  }
}

void StageFunctions::find_readers() {
  for (const auto& [key, made] : functions_) {
    const int stage = std::get<1>(key);
    for (const ValueId id : made.outlined.parameters) {
      readers_[id].insert(stage);
      if (ir::index(id) < function_.parameters.size()) home_.emplace(id, stage);
    }
    for (const ValueId id : made.outlined.results) home_.emplace(id, stage);
  }
  for (auto& [key, made] : functions_) {
    for (const ValueId id : made.outlined.results) {
      const auto readers = readers_.find(id);
      if (readers != readers_.end())
        made.sent.emplace_back(id, std::vector<int>(readers->second.begin(), readers->second.end()));
    }
  }
}

int StageFunctions::home(ValueId id) const {
  const auto found = home_.find(id);
  return found == home_.end() ? kNowhere : found->second;
}

const std::set<int>& StageFunctions::readers(ValueId id) const {
  static const std::set<int> kNobody;
  const auto found = readers_.find(id);
  return found == readers_.end() ? kNobody : found->second;
}

}  // namespace foreflow::transform
