// The table of ops: what programs may say. Knows shapes, splitting, work and numbers; knows no time and no network.
#pragma once

#include "foreflow/ir/op_def.h"

namespace foreflow::ops {

// Every op, in the order of src/ops/ops.def.
const ir::OpTable& table();

}  // namespace foreflow::ops
