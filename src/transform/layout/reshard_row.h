// Resharding for `split_data`: converts the values of a whole tensor-parallel group from one layout to another, once.
// Any split may become any other (by an all-to-all), and the blocks of a dimension are brought into the order of the
// parts. To have single values in several layouts at a time, see reshard_value.h.
#pragma once

#include <vector>

#include "foreflow/ir/builder.h"
#include "foreflow/transform/pieces.h"

namespace foreflow::transform {

// One value per way, or a single one on no device.
using Copies = std::vector<ir::ValueId>;

// Values of one type and layout: one for each member of a tensor-parallel group.
using Row = std::vector<Copies>;

// A dimension in blocks is reshaped to [blocks, rest]. This is the one of the two that shrinks when the batch is split
// later on.
enum class Shrinks : uint8_t { blocks, rest };

// The ways into which a value is cut: `written` of them are in the program, all or the first two.
struct Ways {
  int all, written;
};

// Emits the conversion of `row`, whose values have the type `whole`, from one layout to another:
//
//   partial -> whole   MPIAllreduce           split -> whole         MPIAllgather
//   partial -> split   MPIReduceScatter       split -> other split   MPIAlltoall
//   whole -> split     a Slice on every way
//
// Blocks are brought into order by a Transpose.
Row convert(ir::FunctionBuilder& builder, const Row& row, const Layout& from, const Layout& to, const ir::Type& whole,
            Ways ways, Shrinks shrinks);

// Appends `copies` of a value, which have the layout `layout`, to the results of the new program, in place of result
// `source` of the old one. A whole value is appended once.
void add_result(std::vector<ir::ValueId>& results, std::vector<Piece>& pieces, size_t source, const Layout& layout,
                const Copies& copies, int ways);

// The attributes of a collective of all ways.
ir::Attributes of_ways(ir::Attributes attributes, Ways ways);

// The bytes that one way sends or receives in such a conversion.
double conversion_bytes(const Layout& from, const Layout& to, const ir::Type& whole, int ways);

}  // namespace foreflow::transform
