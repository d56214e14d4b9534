// The messages that `overlap_tensor` may run beside products, for bounds of the time. They are known from the ops of
// one microbatch, before the program is cut into stages.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "foreflow/ir/uses.h"
#include "foreflow/transform/stage_model.h"
#include "transform/pipeline/overlapped/product_pieces.h"

namespace foreflow::transform {

class OverlappedMessages {
 public:
  // `makers` is ir::makers_of; `parts` the number of microbatches of all replicas. All must outlive it.
  OverlappedMessages(const ir::Function& function, const interpret::Values<LaidOut>& values,
                     const std::vector<int32_t>& makers, int parts);

  // The same as the members of StageModel::Message.
  std::vector<int64_t> lengths_of(const ir::Op& sum) const;
  bool may_run_beside(const ir::Op& op) const;
  // The computes that messages may run beside, by the ops of the messages: of a gather, those up to the last product
  // that reads its rows; of a sum, the products that it adds up. A gather has none where another one counts some of
  // them, or where other messages stand between them. `seconds` is by op, the mean over the devices; `share` tells
  // which part of them runs an op.
  struct Beside {
    Seconds computes;
    std::optional<StageModel::Gathered> gathered = {};

    std::vector<Seconds> times() const;  // all numbers of it
  };
  using Share = std::function<double(const ir::Op& op)>;
  std::map<size_t, Beside> computes_beside(const std::vector<Seconds>& seconds, const ProductPieces& pieces,
                                           const Share& share) const;
  // As StageModel::Message::chunks, of a sum of a product or of several.
  std::vector<Seconds> chunks(const ir::Op& sum, const ProductPieces& pieces) const;

 private:
  std::optional<Seconds> chunk(const ir::Op& sum, const ProductPieces& pieces, int chunks) const;
  const ir::Op* maker_of(ir::ValueId id) const;
  std::vector<size_t> product_readers(const ir::Op& gather) const;
  bool only_gradients_of_weights_read(const ir::Op& gather) const;
  std::optional<StageModel::Gathered> gathered(const ir::Op& gather, const std::vector<Seconds>& seconds,
                                               const ProductPieces& pieces, const Share& share) const;
  struct Added {
    std::vector<size_t> products, additions;
    bool in_chunks = false;  // with the additions
    bool empty() const { return products.empty(); }
  };
  Seconds on_one_device(const Added& added, const std::vector<Seconds>& seconds, const Share& share) const;
  Added added(std::span<const ir::ValueId> operands) const;
  std::vector<ProductCut> cuts_of(const ir::Op& op) const;
  std::vector<std::pair<ProductCut, int64_t>> cuts_of_sum(const ir::Op& sum, const ir::Op& product) const;
  std::vector<ir::Type> types_of(const ir::Op& op) const;

  const ir::Function& function_;
  const interpret::Values<LaidOut>& values_;
  const std::vector<int32_t>& makers_;
  const ir::Readers readers_;
  const int parts_;
};

}  // namespace foreflow::transform
