// The layouts that `shard` has each value in: made when it is first asked for, from the nearest that is there, and kept
// for the next reader. A dimension in blocks is opened as two, so nothing is moved but by collectives and slices of
// what is whole. For rows of values, and from parts to other parts, see conversion.h.
#pragma once

#include <map>
#include <vector>

#include "foreflow/ir/builder.h"
#include "foreflow/transform/layout.h"

namespace foreflow::transform {

using Copies = std::vector<ir::ValueId>;  // one per way, or a single one on no device

// A value by the layouts that it is there in.
using Layouts = std::map<Layout, Copies>;

class Relayout {
 public:
  Relayout(ir::FunctionBuilder& builder, int ways) : builder_(builder), ways_(ways) {}

  // The copies in layout `wanted` of a value of type `whole` that was made in layout `made`; what is missing is emitted
  // and kept.
  //   partial -> whole   MPIAllreduce, or MPIAllgather of parts that are there     split -> whole   MPIAllgather
  //   partial -> split   MPIReduceScatter                                          whole -> split   a Slice on every
  //   way
  const Copies& operator()(Layouts& known, const Layout& made, const Layout& wanted, const ir::Type& whole);

 private:
  Copies summed(const Copies& parts);
  Copies gathered(const Copies& parts, const Layout& layout, const ir::Type& whole);
  Copies scattered(const Copies& sums, const Layout& layout, const ir::Type& whole);
  Copies taken(const Copies& whole_copies, const Layout& layout, const ir::Type& whole);
  Copies reshaped(Copies copies, const std::vector<int64_t>& shape);

  ir::FunctionBuilder& builder_;
  const int ways_;
};

}  // namespace foreflow::transform
