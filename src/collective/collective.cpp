#include "foreflow/collective/collective.h"

#include <algorithm>

namespace foreflow::collective {
// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name { AlgorithmDef row(); }
#include "collective/algorithms.def"
#undef FOREFLOW_ROW
}  // namespace definitions
// clang-format on

bool AlgorithmDef::does(Kind kind) const { return std::find(kinds.begin(), kinds.end(), kind) != kinds.end(); }

const Registry<AlgorithmDef>& algorithms() {
  // clang-format off
  static const Registry<AlgorithmDef> rows("collective algorithm", "collectives", {
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

}  // namespace foreflow::collective
