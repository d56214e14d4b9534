// One number as a constant of a program.
#pragma once

#include "foreflow/ir/array.h"

namespace foreflow::workload {

// [1] of a floating-point type, rounded to it.
ir::Array number(ir::DType dtype, float value);

}  // namespace foreflow::workload
