#include "foreflow/scenario/shared_programs.h"

#include "foreflow/base/error.h"

namespace foreflow::scenario {
namespace {

// Values count: the entry of a pipeline has one for every activation that a microbatch saves.
size_t ops_of(const ir::Module& module) {
  size_t ops = 0;
  for (const ir::Function& function : module.functions) ops += function.ops.size() + function.values.size();
  return ops;
}

}  // namespace

ReplicaProgramRef SharedPrograms::find(const std::string& key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  kept_.splice(kept_.begin(), kept_, found->second);
  return found->second->program;
}

void SharedPrograms::keep(const std::string& key, ReplicaProgramRef program) {
  FOREFLOW_CHECK(!by_key_.contains(key), "a program is kept once");
  const size_t ops = ops_of(program->module);
  if (ops > most_ops_) return;
  for (; ops_ + ops > most_ops_; kept_.pop_back()) {
    ops_ -= kept_.back().ops;
    by_key_.erase(kept_.back().key);
  }
  kept_.push_front({key, std::move(program), ops});
  by_key_.emplace(key, kept_.begin());
  ops_ += ops;
}

}  // namespace foreflow::scenario
