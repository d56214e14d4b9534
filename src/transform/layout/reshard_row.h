// What `spread` turns once for good: a whole row of values (those of a tensor-parallel group) from one layout into
// another, parts into other parts by an all-to-all included, with the dimension's blocks brought into the order of the
// parts. For single values that are wanted in several layouts, each made when it is first asked for, see relayout.h.
#pragma once

#include <vector>

#include "foreflow/ir/builder.h"
#include "foreflow/transform/pieces.h"

namespace foreflow::transform {

// One value per way, or a single one on no device.
using Copies = std::vector<ir::ValueId>;

// Values of one type that lie alike: those of a tensor-parallel group.
using Row = std::vector<Copies>;

// A dimension in blocks, seen as [blocks, rest]: which of them is smaller where the batch is split later on.
enum class Shrinks : uint8_t { blocks, rest };

// Emits what turns values of type `whole` from one layout into another, step by step for all of them: a sum becomes
// whole by MPIAllreduce and split by MPIReduceScatter, parts become whole by MPIAllgather and other parts by
// MPIAlltoall, a whole value becomes split by slices. Blocks are brought into order by a transposition.
Row convert(ir::FunctionBuilder& builder, const Row& row, const Layout& from, const Layout& to, const ir::Type& whole,
            int ways, Shrinks shrinks);

// Returns `copies` of a value, which lie as `layout` says, in place of result `source` of the old program; whole ones
// once.
void add_result(std::vector<ir::ValueId>& results, std::vector<Piece>& pieces, size_t source, const Layout& layout,
                const Copies& copies, int ways);

// Bytes that one way sends or receives for it.
double conversion_bytes(const Layout& from, const Layout& to, const ir::Type& whole, int ways);

}  // namespace foreflow::transform
