// Which dimension of an activation counts the positions of a sequence. Programs do not say; their data parameters do.
#pragma once

#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/transform/layout.h"

namespace foreflow::transform {

class SequenceLayouts {
 public:
  SequenceLayouts() = default;
  // Batches and lengths are those of the data parameters: [b,..,s] for integers (tokens), [b,s,..] for floats.
  SequenceLayouts(const ir::Function& function, const interpret::Values<interpret::Mixed>& values);

  // The layout that splits the sequence of an activation [b,s,h], [s,b,h] or [bs,h] over `ways`; whole when there is none.
  Layout of_activation(const ir::Type& type, int ways) const;
  // The same for what is looked up in a table: [b,s].
  Layout of_indices(const ir::Type& type, int ways) const;

 private:
  struct Sizes {
    int64_t batch, length;
  };
  std::vector<Sizes> data_;
};

}  // namespace foreflow::transform
