// The prices of the ops of a program. Each distinct op is priced once.
#pragma once

#include "foreflow/transform/pipeline.h"
#include "transform/layout/layout_domain.h"

namespace foreflow::transform {

class OpPrices {
 public:
  // The batch is cut into `ways` parts.
  OpPrices(const StagePrices& prices, int ways) : prices_(prices), ways_(ways) {}

  struct Price {
    double flops;     // of the whole batch
    Seconds seconds;  // of one part
  };
  // For the values of one interpretation.
  const Price& operator()(const ir::Function& function, const ir::Op& op, const interpret::Values<LaidOut>& values);

 private:
  Price price(const ir::Function& function, const ir::Op& op, const interpret::Values<LaidOut>& values) const;

  const StagePrices& prices_;
  int ways_;
  SequenceTable known_;
  std::vector<Price> found_;  // by number in known_
  std::vector<uint64_t> words_;
};

}  // namespace foreflow::transform
