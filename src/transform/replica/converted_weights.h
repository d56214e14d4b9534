// Decides which converted weights the forward pass keeps for the backward pass, where weights are gathered in Float32
// and then converted (DataParallel::float_gathers). torch.autocast converts a weight in the forward pass, and autograd
// keeps what a product has read, so the backward pass need not convert the weight again. Only recomputed ops convert it
// once more, as torch.utils.checkpoint runs them under the same autocast.
#pragma once

#include <map>
#include <set>
#include <utility>

#include "transform/replica/exchange_plan.h"

namespace foreflow::transform {

struct ConvertedWeights {
  // By (call of the backward pass, weight that it needs): the call of the forward pass of the same microbatch that
  // converted the weight.
  std::map<std::pair<size_t, size_t>, size_t> source;
  std::map<size_t, std::set<size_t>> kept;  // by call of the forward pass: the converted weights that it returns
};

ConvertedWeights converted_weights(const ir::Module& module, const ExchangePlan& plan);

}  // namespace foreflow::transform
