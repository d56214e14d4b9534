// A Slice of positions that all belong to one way, such as the last token of a prompt. Instead of the whole operand,
// the ways gather the rows that each of them has at the same place:
//
//   way 1: x1 = [a b c d]  ->  d \                              / h
//   way 2: x2 = [e f g h]  ->  h / MPIAllgather -> [d h], Slice \ h
#pragma once

#include <optional>

#include "foreflow/transform/layout.h"
#include "transform/layout/reshard_row.h"

namespace foreflow::transform {

struct PartSlice {
  int32_t dim;
  int64_t start, length;  // of the rows within the part of a way
  int64_t owner;          // the way that has the rows of the Slice, from 0
};

// Nothing for any op but a Slice with step 1 along the split dimension, for rows of several ways or several blocks, and
// for all rows that a way has.
std::optional<PartSlice> part_slice(const ir::OpCall& call, const ir::Type& result, const Layout& arriving, int ways);

// The whole result on every way, from the parts of the operand, whose whole type is `type`.
Copies sliced_part(ir::FunctionBuilder& builder, const Copies& parts, const ir::Type& type, const PartSlice& slice,
                   Ways ways, Shrinks shrinks);

}  // namespace foreflow::transform
