// Products of TF32 by the order in which their operands lie in memory.
#pragma once

#include "cost/hardware.h"
#include "foreflow/ir/op_def.h"

namespace foreflow::cost {

// The share of the peak of TF32 that `units` reach in the products of an op, above 0 and at most 1.
//
// Hopper's warpgroup instructions take operands of TF32 from shared memory K-major only, which means that neighbours
// along the summed dimension k are neighbours in memory; operands of 16 bits they take in both orders (PTX ISA 8.0,
// wgmma: the parameters imm-trans-a and imm-trans-b exist for .f16 and .bf16 alone). An operand in another order has to
// be transposed on the way:
//
//   forward                y[m,n] = x[m,k] w[n,k]'    k runs along the rows of both: at the full rate
//   gradient of the input  dx[m,k] = dy[m,n] w[n,k]   n runs along the rows of dy, but down the columns of w
//   gradient of the weight dw[n,k] = dy[m,n]' x[m,k]  m runs down the columns of both
//
// Frameworks keep a weight with a row for each output. Units of other generations take operands in both orders.
double tf32_share(Units units, const ir::OpDef& op);

}  // namespace foreflow::cost
