// Rows of a sequence that is split over the devices of a group, taken in chunks. Each chunk has as many rows of every
// device, so that a collective over the chunks gives each device its own rows. With two devices and two chunks:
//
//   rows        0 1 | 2 3 | 4 5 | 6 7
//   owner       device 1  | device 2
//   chunk 1     0 1         4 5
//   chunk 2           2 3         6 7
#pragma once

#include <vector>

#include "foreflow/ir/builder.h"

namespace foreflow::transform {

struct Rows {
  size_t axis;    // of the rows
  int64_t ranks;  // devices of the group that own equal parts of them, one after the other; 1: no chunk is interleaved
  int chunks;
};

// The chunks of a value whose dimensions are `dims`; products read them where they are. Requires: ranks * chunks
// divides dims[axis].
std::vector<ir::ValueId> split_rows(ir::FunctionBuilder& builder, ir::ValueId value, const ir::Dims& dims,
                                    const Rows& rows);

// The rows of `parts`, one after the other.
ir::ValueId join_rows(ir::FunctionBuilder& builder, const std::vector<ir::ValueId>& parts, size_t axis);

}  // namespace foreflow::transform
