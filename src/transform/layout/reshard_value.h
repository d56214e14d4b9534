// Resharding for `shard`: a value may exist in several layouts. Each is made on first request, from the cheapest one
// that exists, and kept for later readers. A dimension in blocks is reshaped into two dimensions, so that collectives
// and slices suffice. To convert whole groups of values, or one split to another, see reshard_row.h.
#pragma once

#include <map>
#include <vector>

#include "foreflow/ir/builder.h"
#include "foreflow/transform/layout.h"

namespace foreflow::transform {

using Copies = std::vector<ir::ValueId>;  // one per way, or a single one on no device

// The layouts in which a value exists.
using Layouts = std::map<Layout, Copies>;

class Resharder {
 public:
  // The first `written` of the ways are written.
  Resharder(ir::FunctionBuilder& builder, int ways, int written) : builder_(builder), ways_(ways), written_(written) {}

  // The copies in layout `wanted` of a value of type `whole` whose op computes it in layout `made`. If they do not
  // exist yet, their ops are emitted and the copies are added to `known`:
  //
  //   partial -> whole   MPIAllreduce, or MPIAllgather if split copies exist
  //   partial -> split   MPIReduceScatter
  //   split -> whole     MPIAllgather
  //   whole -> split     a Slice on every way
  const Copies& operator()(Layouts& known, const Layout& made, const Layout& wanted, const ir::Type& whole);

  // Returns true if ways took their parts of a value on no device. These are on no device either, so the first way has
  // the work of all.
  bool took_unplaced() const { return took_unplaced_; }

 private:
  Copies summed(const Copies& parts);
  Copies gathered(const Copies& parts, const Layout& layout, const ir::Type& whole);
  Copies scattered(const Copies& sums, const Layout& layout, const ir::Type& whole);
  Copies taken(const Copies& whole_copies, const Layout& layout, const ir::Type& whole);
  Copies reshaped(Copies copies, const std::vector<int64_t>& shape);
  Copies exchanged(std::string_view op, const Copies& copies, ir::Attributes attributes);

  ir::FunctionBuilder& builder_;
  const int ways_, written_;
  bool took_unplaced_ = false;
  // Parts along a dimension in blocks, and the same with two dimensions: what is gathered again is gathered from the
  // same values, which later passes may have where they are needed.
  std::map<Copies, Copies> opened_;
};

// The attributes of a collective of all ways.
ir::Attributes of_all_ways(ir::Attributes attributes, int ways, int written);

}  // namespace foreflow::transform
