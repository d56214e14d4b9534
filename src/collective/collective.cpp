#include "foreflow/collective/collective.h"

#include <algorithm>
#include <array>

namespace foreflow::collective {
// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name { AlgorithmDef row(); }
#include "collective/algorithms.def"
#undef FOREFLOW_ROW
}  // namespace definitions
// clang-format on

namespace {

constexpr std::array<std::string_view, kKinds> kNames = {"send",       "all_reduce", "reduce_scatter", "all_gather",
                                                         "broadcast",  "reduce",     "gather",         "scatter",
                                                         "all_to_all", "shift"};

}  // namespace

std::string_view name(Kind kind) { return kNames.at(static_cast<size_t>(kind)); }

Kind kind_named(std::string_view name, const std::string& where) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found != kNames.end()) return static_cast<Kind>(found - kNames.begin());
  const std::vector<std::string> names(kNames.begin(), kNames.end());
  throw Error(where,
              "unknown collective \"" + std::string(name) + "\"; did you mean \"" + nearest(name, names) + "\"?");
}

double chunk_share(const Plan& plan, Kind kind, int ranks) {
  return (kind == Kind::all_to_all || kind == Kind::shift ? ranks : 1.0) / plan.chunks;
}

bool AlgorithmDef::does(Kind kind) const { return std::find(kinds.begin(), kinds.end(), kind) != kinds.end(); }

const Registry<AlgorithmDef>& algorithms() {
  // clang-format off
  static const Registry<AlgorithmDef> rows("collective algorithm", {
#define FOREFLOW_ROW(name) definitions::name::row(),
#include "collective/algorithms.def"
#undef FOREFLOW_ROW
  });
  // clang-format on
  return rows;
}

const AlgorithmDef& default_algorithm(Kind kind) {
  for (const AlgorithmDef& row : algorithms()) {
    if (row.does(kind)) return row;
  }
  throw InternalError("no algorithm for the collective " + std::string(name(kind)));
}

const AlgorithmDef& usable(const AlgorithmDef& wanted, const Task& task) {
  return wanted.supports_task(task) ? wanted : default_algorithm(task.kind);
}

double bus_factor(Kind kind, int ranks) {
  const double others = static_cast<double>(ranks - 1) / ranks;
  switch (kind) {
    case Kind::all_reduce: return 2 * others;
    case Kind::reduce_scatter:
    case Kind::all_gather:
    case Kind::all_to_all:
    case Kind::gather:
    case Kind::scatter: return others;
    case Kind::send:
    case Kind::broadcast:
    case Kind::reduce:
    case Kind::shift: return 1;
  }
  throw InternalError("a kind without a bus bandwidth");
}

}  // namespace foreflow::collective
