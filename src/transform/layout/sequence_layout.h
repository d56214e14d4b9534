// Finds the dimension of an activation that counts the positions of a sequence. Programs do not state it, so it is
// inferred from the sizes of the data parameters.
#pragma once

#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/transform/layout.h"

namespace foreflow::transform {

class SequenceLayouts {
 public:
  SequenceLayouts() = default;
  // Takes batch sizes b and lengths s from the data parameters of the entry, which must have no calls: integers
  // (tokens) are [b,..,s], floats [b,s,..]. If all have the same batch size, the dimension factors of the ops tell
  // which dimension of a value counts samples; otherwise the dimension is recognised by its size alone.
  SequenceLayouts(const ir::Module& module, const interpret::Values<interpret::Mixed>& values);

  // The layout that splits an activation [b,s,h], [s,b,h] or [bs,h] along s over `ways`; whole if it has no such
  // dimension.
  Layout of_activation(ir::ValueId id, const ir::Type& type, int ways) const;
  // The same for indices into a table, [b,s].
  Layout of_indices(ir::ValueId id, const ir::Type& type, int ways) const;

 private:
  struct Sizes {
    int64_t batch, length;
  };
  Layout of_positions(ir::ValueId id, const ir::Dims& dims, int ways) const;
  bool counts_samples(ir::ValueId id, size_t dim) const;

  std::vector<Sizes> data_;
  std::vector<Layout> samples_;  // per value: its layout if samples are split; empty: not known
};

}  // namespace foreflow::transform
