#include "foreflow/ir/unchosen.h"

#include <cmath>

namespace foreflow::ir {

double used_share(const OpCall& call) {
  if (call.attributes.find(kUnchosen) == nullptr || call.inputs.size() < 2) return 1;
  const Type &x = call.inputs[0], &w = call.inputs[1];
  const auto known = [](const Type& type) {
    return type.is_tensor() && type.dims.size() > 2 && element_count(type.dims) > 0;
  };
  if (!known(x) || !known(w)) return 1;
  const int64_t matrix  = w.dims[w.dims.size() - 2] * w.dims[w.dims.size() - 1];
  const int64_t experts = element_count(w.dims) / matrix;
  const double places   = static_cast<double>(element_count(x.dims)) / static_cast<double>(x.dims.back() * experts);
  return 1 - std::pow(call.attributes.float_or(kUnchosen, 1), places);
}

}  // namespace foreflow::ir
