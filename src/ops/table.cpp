#include "foreflow/ops/table.h"

namespace foreflow::ops {

namespace definitions {
#define FOREFLOW_OP(row) ir::OpDef row();
#include "ops/ops.def"
#undef FOREFLOW_OP
}  // namespace definitions

const ir::OpTable& table() {
  static const ir::OpTable rows("op", {
#define FOREFLOW_OP(row) definitions::row(),
#include "ops/ops.def"
#undef FOREFLOW_OP
                                      });
  return rows;
}

}  // namespace foreflow::ops
