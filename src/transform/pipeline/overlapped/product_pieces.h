// Prices of what `overlap_tensor` makes of a product, for bounds of the time.
#pragma once

#include "foreflow/ir/op_def.h"
#include "foreflow/transform/stage_model.h"
#include "transform/layout/layout_domain.h"
#include "transform/rewrite/product_cuts.h"

namespace foreflow::transform {

class ProductPieces {
 public:
  // `parts` is the number of microbatches of all replicas. All must outlive it.
  ProductPieces(const ir::Function& function, const interpret::Values<LaidOut>& values, int parts,
                const ir::OpTable& ops, const StageModel::Price& price)
      : function_(function), values_(values), parts_(parts), ops_(ops), price_(price) {}

  // The product of one of `ways` equal runs of rows; of a MatMulGrad the gradient of x. Requires: `ways` divides the
  // dimension of the cut.
  Seconds rows(const ir::Op& product, const ProductCut& cut, int ways) const;
  // The addition of one of `ways` equal runs of products' results.
  Seconds addition(const ir::Op& add, size_t dimension, int ways) const;
  // The gradient of the weight of a MatMulGrad, of all rows at once; 0 for other products.
  Seconds weight_gradient(const ir::Op& product) const;

 private:
  ir::Type type(ir::ValueId id) const;

  const ir::Function& function_;
  const interpret::Values<LaidOut>& values_;
  const int parts_;
  const ir::OpTable& ops_;
  const StageModel::Price& price_;
};

}  // namespace foreflow::transform
