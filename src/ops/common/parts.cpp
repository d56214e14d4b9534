#include "ops/common/parts.h"

namespace foreflow::ops {

void fit_shape(Attributes& attributes, const OpCall&, std::span<const Type> outputs, const ir::PartOfCall& part) {
  if (part.result_dim < 0 || attributes.find("shape") == nullptr) return;
  std::vector<int64_t> shape = attributes.get_ints("shape");
  const auto dim             = static_cast<size_t>(part.result_dim);
  if (dim < shape.size() && shape[dim] == outputs[0].dims[dim]) shape[dim] /= part.ways;
  attributes.set("shape", shape);
}

}  // namespace foreflow::ops
