#include "foreflow/collective/collective.h"

#include <array>

namespace foreflow::collective {
namespace definitions {
#define FOREFLOW_X(name) AlgorithmDef name();
#include "collective/algorithms.def"
#undef FOREFLOW_X
}  // namespace definitions

std::string_view name(Kind kind) {
  static constexpr std::array<std::string_view, kKinds> names = {
      "send", "all_reduce", "reduce_scatter", "all_gather", "broadcast", "reduce", "gather", "scatter", "all_to_all"};
  return names.at(static_cast<size_t>(kind));
}

const Registry<AlgorithmDef>& algorithms() {
  static const Registry<AlgorithmDef> table("collective algorithm", {
#define FOREFLOW_X(name) definitions::name(),
#include "collective/algorithms.def"
#undef FOREFLOW_X
                                                                    });
  return table;
}

const AlgorithmDef& default_algorithm(Kind kind) {
  for (const AlgorithmDef& row : algorithms()) {
    if (can(row, kind, 2)) return row;
  }
  throw InternalError("no algorithm for the collective " + std::string(name(kind)));
}

bool can(const AlgorithmDef& algorithm, Kind kind, int ranks) {
  const std::vector<int> one_node(static_cast<size_t>(ranks), 0);
  return algorithm.supports(kind, {ranks, {}, false, true}) || algorithm.supports(kind, {ranks, one_node, true, false});
}

}  // namespace foreflow::collective
