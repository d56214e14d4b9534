// What `overlap_tensor` may run beside products, for bounds of the time: known from the ops of one microbatch, before
// the program is cut into stages.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "foreflow/ir/module.h"
#include "transform/layout/layout_domain.h"
#include "transform/rewrite/product_cuts.h"

namespace foreflow::transform {

class OverlappedMessages {
 public:
  // `makers` is ir::makers_of; `parts` the number of microbatches of all replicas. All must outlive it.
  OverlappedMessages(const ir::Function& function, const interpret::Values<LaidOut>& values,
                     const std::vector<int32_t>& makers, int parts);

  // As of StageModel::Message.
  std::vector<int64_t> lengths_of(const ir::Op& sum) const;
  bool may_run_beside(const ir::Op& op) const;
  // The time of the computes that messages may run beside, by the ops of the messages: of a gather, those up to its
  // last reader; of a sum, the products that it adds up. Gathers of which another one counts some of them have none.
  // `seconds` is by op.
  std::map<size_t, Seconds> computes_beside(const std::vector<Seconds>& seconds) const;

 private:
  const ir::Op* maker_of(ir::ValueId id) const;
  bool only_products_read(const ir::Op& gather) const;
  std::vector<size_t> added_gradients(const ir::Op& sum) const;
  std::vector<ProductCut> cuts_of(const ir::Op& op) const;
  std::vector<ir::Type> types_of(const ir::Op& op) const;

  const ir::Function& function_;
  const interpret::Values<LaidOut>& values_;
  const std::vector<int32_t>& makers_;
  const int parts_;
  std::map<size_t, std::vector<size_t>>
      readers_;  // the ops that read what is gathered, by its value on the first device
};

}  // namespace foreflow::transform
