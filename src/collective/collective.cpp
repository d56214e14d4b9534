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

double bus_factor(Kind kind, int ranks) {
  const double others = static_cast<double>(ranks - 1) / ranks;
  switch (kind) {
    case Kind::all_reduce:
      return 2 * others;
    case Kind::reduce_scatter:
    case Kind::all_gather:
    case Kind::all_to_all:
    case Kind::gather:
    case Kind::scatter:
      return others;
    case Kind::send:
    case Kind::broadcast:
    case Kind::reduce:
      return 1;
  }
  throw InternalError("a kind without a bus bandwidth");
}

}  // namespace foreflow::collective
