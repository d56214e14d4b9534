#include "foreflow/ops/table.h"

namespace foreflow::ops {

// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name { ir::OpDef row(); }
#include "ops/ops.def"
#undef FOREFLOW_ROW
}  // namespace definitions
// clang-format on

const ir::OpTable& table() {
  // clang-format off
  static const ir::OpTable rows("op", "ops", {
#define FOREFLOW_ROW(name) definitions::name::row(),
#include "ops/ops.def"
#undef FOREFLOW_ROW
  });
  // clang-format on
  return rows;
}

}  // namespace foreflow::ops
