// Which dimension of an activation counts the positions of a sequence. Programs do not say; their data parameters do.
#pragma once

#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/transform/layout.h"

namespace foreflow::transform {

class SequenceLayouts {
 public:
  SequenceLayouts() = default;
  // Batches and lengths are those of the data parameters of the entry, which has no calls: [b,..,s] for integers
  // (tokens), [b,s,..] for floats. Where all have one batch, the factors of the ops tell which dimension of a value
  // counts its samples, so that nothing else of that size is taken for them; else sizes alone tell.
  SequenceLayouts(const ir::Module& module, const interpret::Values<interpret::Mixed>& values);

  // The layout that splits the sequence of an activation [b,s,h], [s,b,h] or [bs,h] over `ways`; whole when there is
  // none.
  Layout of_activation(ir::ValueId id, const ir::Type& type, int ways) const;
  // The same for what is looked up in a table: [b,s].
  Layout of_indices(ir::ValueId id, const ir::Type& type, int ways) const;

 private:
  struct Sizes {
    int64_t batch, length;
  };
  Layout of_positions(ir::ValueId id, const ir::Dims& dims, int ways) const;
  bool counts_samples(ir::ValueId id, size_t dim) const;

  std::vector<Sizes> data_;
  std::vector<Layout> samples_;  // per value: how samples divide it; empty: not known
};

}  // namespace foreflow::transform
