// Gradients of whole programs against central differences of their loss.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::test {

// Every floating-point number of a program as Float64.
ir::Module in_double(const ir::Module& module);

// Numbers for the parameters of the entry, that keep activations near one: matrices and kernels over the root of what
// they sum, vectors in (0.5, 1.5) (a variance is positive); integers in [0, below); attention masks, whose name is
// `mask` or says so, are 1: they hide nothing.
std::vector<ir::Array> moderate_arguments(const ir::Module& module, std::mt19937_64& random, int64_t below,
                                          const std::string& mask = "mask");

struct SlopeCheck {
  int parameters = 0;     // that were moved
  double worst   = 0;     // |difference - gradient| over the larger of the two and of a small share of the largest
  std::string parameter;  // where
  int zero = 0;           // of them, how many the loss does not depend on
};

// Differentiates `loss` (result 0; Float64 throughout) with respect to `weights` as transform::differentiate does, and
// compares the slope along a random direction of each parameter with (loss(+h) - loss(-h)) / 2h. At most `most`
// parameters, evenly spread.
SlopeCheck check_slopes(const ir::Module& loss, const std::vector<ir::Array>& arguments, std::mt19937_64& random,
                        const std::vector<std::string>& weights = {}, size_t most = 1000);

}  // namespace foreflow::test
