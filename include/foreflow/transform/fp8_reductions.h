// The collectives of delayed scaling in fp8: ranks that share weights or samples agree on the largest values of a pass.
#pragma once

#include "foreflow/ir/module.h"
#include "foreflow/ir/op_def.h"
#include "foreflow/ir/written_devices.h"

namespace foreflow::transform {

// Who agrees: the devices of a stage, in all replicas.
struct Fp8Reductions {
  int replicas               = 1;   // that the program of one replica stands for
  ir::WrittenDevices written = {};  // the devices that the program has
};

// Appends to each pass of a stage the collective that Transformer Engine's DelayedScaling(reduce_amax) has at its end:
// the maximum, over the devices of the stage and all replicas, of a vector with a number for each operand that the pass
// converts to fp8, two for a product forward and one backward. A function has one forward pass, one backward pass or
// both; what it computes again counts as neither.
//
//   func @forward(..) {                                %y.1 = MatMul[fp8 = 0](%x.1, %w.1)     // the last one on D1
//     ..                                               %y.2 = MatMul[fp8 = 0](%x.2, %w.2)     // and on D2
//     %y.1 = MatMul[fp8 = 0](%x.1, %w.1)        ->     %m.1 = Fp8Maxima[count = 8](%y.1)
//     %y.2 = MatMul[fp8 = 0](%x.2, %w.2)               %m.2 = Fp8Maxima[count = 8](%y.2)
//     ..                                               .. = MPIAllreduceMax(%m.1, %m.2)
//
// It changes no value. A pass on one device of one replica has no such collective.
ir::Module with_fp8_reductions(const ir::Module& module, const ir::OpTable& ops, const Fp8Reductions& how);

}  // namespace foreflow::transform
