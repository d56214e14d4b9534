// Kernels of training, measured as shares of the peak (SimuMax).
#pragma once

#include <vector>

#include "cost/data_forms.h"

namespace foreflow::cost {

// Columns op, peak_tflops, shape, efficiency_fraction_of_peak; a shape is a list "m=4096, k=8192, ...". Taken are
//   1. matmul: the three products of a layer in the layouts of training; the gradient of a weight is added to a matrix
//      in fp32 (accumulate);
//   2. sdp_fwd and sdp_bwd: causal flash attention. Its authors count the whole square: 2 s^2 h (d_qk + d_v) flops
//      forward, 2.5 times as many backward.
// Grouped products of experts are left out: they run on several streams at once, which no law has.
std::vector<Measured> efficiency_in_training(const FieldsOfRow& row, const std::string& device);

}  // namespace foreflow::cost
