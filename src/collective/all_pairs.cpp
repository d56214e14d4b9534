#include "collective/all_pairs.h"

#include "collective/layout.h"

namespace foreflow::collective {

std::optional<AllPairs> all_pairs(const AlgorithmDef& algorithm, const Task& task) {
  if (!def_of(task.kind).every_pair || algorithm.all_pairs_steps == nullptr) return {};
  // With several nodes, at every distance some rank sends to another node; otherwise ranks at that distance would all
  // share a node.
  const bool far  = nodes(task.group).size() > 1;
  const int steps = algorithm.all_pairs_steps(task.group.ranks);
  return AllPairs{far ? 0 : steps, far ? steps : 0, 1.0 / task.group.ranks};
}

}  // namespace foreflow::collective
