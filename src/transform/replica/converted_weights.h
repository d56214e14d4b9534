// Which conversions of gathered weights serve the backward pass, too (DataParallel::float_gathers). torch.autocast
// converts a weight in the forward pass, and autograd keeps what a product has read. So the backward pass converts
// none, but for what it computes again, as torch.utils.checkpoint does under the same autocast.
#pragma once

#include <map>
#include <set>
#include <utility>

#include "transform/replica/exchange_plan.h"

namespace foreflow::transform {

struct ConvertedWeights {
  // Of a call of the backward pass and a weight that it opens: the call of the forward pass of the same microbatch that
  // converted it.
  std::map<std::pair<size_t, size_t>, size_t> source;
  std::map<size_t, std::set<size_t>> kept;  // per such call of the forward pass: those weights
};

ConvertedWeights converted_weights(const ir::Module& module, const ExchangePlan& plan);

}  // namespace foreflow::transform
