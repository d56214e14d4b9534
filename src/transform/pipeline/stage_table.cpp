#include "transform/pipeline/stage_table.h"

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

void StageFunctions::outline(const std::vector<PlacedTask>& tasks, ir::Module& module) {
  Begun begun(outliner_);
  for (const PlacedTask& task : tasks) {
    if (!is_empty(task)) functions_.try_emplace(begun.before(task));
  }
  for (auto& [key, made] : functions_) {
    const auto& [phase, stage, parts] = key;
    made.outlined                     = outliner_.outline(phase, stage, parts);
    made.number                       = module.functions.size();
    module.functions.push_back(std::move(made.outlined.function));
  }
  find_readers();
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
