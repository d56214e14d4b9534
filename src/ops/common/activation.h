// The activation functions of recurrent layers, by ONNX's names for them.
#pragma once

#include "ops/common/op.h"
#include "ops/common/tape.h"

namespace foreflow::ops {

struct ActivationRow {
  std::string_view name;
  double (*value)(double x, double alpha, double beta);
  double (*slope)(double x, double alpha, double beta);
  double alpha = 0, beta = 0;  // defaults
  int parameters = 0;          // how many of alpha, beta the function takes
};

struct Activation {
  const ActivationRow* row;
  double alpha, beta;

  template <class T>
  T operator()(const T& x) const {
    const double at = value_of(x);
    return with_slope(x, row->value(at, alpha, beta), row->slope(at, alpha, beta));
  }
};

// The functions that `activations`, activation_alpha and activation_beta name, `defaults` where the node names none,
// repeated for each direction. Each function that takes a parameter takes the next number of the list.
std::vector<Activation> activations_of(const OpCall& call, std::span<const std::string_view> defaults,
                                       size_t directions);

}  // namespace foreflow::ops
