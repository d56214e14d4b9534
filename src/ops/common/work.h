// Work of the common kinds of op.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// Flops that one exponential, root or trigonometric function counts; an addition, product or comparison counts 1.
constexpr int kTranscendental = 8;

// All tensor operands are read, all outputs written.
Work moves(const OpCall& call, std::span<const Type> outputs, int kernels = 1);

// The same; nothing where the attribute `placed` is 1: products read or write the parts where they are in the whole.
Work moves_unless_placed(const OpCall& call, std::span<const Type> outputs);

// The same as `moves`, with `flops` floating point operations.
Work computes(const OpCall& call, std::span<const Type> outputs, double flops, int kernels = 1);

// A renaming of elements or a look at a shape: no kernel, no traffic.
Work nothing(const OpCall& call, std::span<const Type> outputs);

// Only the outputs are read and written (Slice, Gather: the rest of the operand is not touched).
Work copies_outputs(const OpCall& call, std::span<const Type> outputs);
// The same, after the indices in operand 1 were read.
Work copies_by_index(const OpCall& call, std::span<const Type> outputs);

// Elements of a tensor; 0 while unknown.
double count_of(const Type& type);

}  // namespace foreflow::ops
