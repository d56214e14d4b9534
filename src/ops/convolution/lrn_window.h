// Local response normalisation: what LRN and its gradient share.
#pragma once

#include "ops/common/kernel.h"
#include "ops/common/lanes.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops {

// y = x * d^-beta, d[c] = bias + alpha / size * sum of x^2 over the channels from c - (size - 1) / 2 to c + size / 2.
struct Response {
  double alpha, beta, bias;
  int64_t size;
};
Response response_of(const OpCall& call);

// The type of x; fails for a tensor without channels and for a window without any.
Type infer_response(const OpCall& call);

// For each channel the sum of `values` over its window; with `transposed` over the channels whose windows hold it.
enum class Window1d : uint8_t { straight, transposed };
std::vector<double> window_sums(const std::vector<double>& values, const Lanes& lanes, int64_t size, Window1d window);

// d of every element of x.
std::vector<double> denominators(const std::vector<double>& x, const Lanes& lanes, const Response& response);

// Each plane needs those of other channels beside it.
Factors response_factors(const OpCall& call);

}  // namespace foreflow::ops
