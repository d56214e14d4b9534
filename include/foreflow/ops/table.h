// The table of ops: every op that a program may use. A row knows shapes, splitting, work and numbers; it knows neither
// time nor the network.
#pragma once

#include "foreflow/ir/op_def.h"

namespace foreflow::ops {

// Every op, in the order of src/ops/ops.def.
const ir::OpTable& table();

}  // namespace foreflow::ops
