#include "ops/normalisation/scaled_rows.h"

#include "ops/common/axes.h"
#include "ops/common/letters.h"
#include "ops/common/normalisation.h"

namespace foreflow::ops {

std::vector<Type> infer_scaled_rows(const OpCall& call, size_t sums) {
  const Type x = tensor_operand(call, 0), scale = tensor_operand(call, 1), dy = tensor_operand(call, 2);
  common_dtype(call, std::vector{x, scale, dy});
  if (has_dims(x) && has_dims(dy) && x.dims != dy.dims) {
    call.fail("dy is " + to_string(dy.dims) + "; it should have the shape of x, " + to_string(x.dims));
  }
  if (has_dims(x) && has_dims(scale)) {
    const size_t axis = axis_attribute(call, x.dims.size(), -1);
    const Dims normalised(std::span(x.dims.begin() + axis, x.dims.end()));
    if (scale.dims != normalised)
      call.fail("scale is " + to_string(scale.dims) + "; it should be " + to_string(normalised));
  }
  std::vector<Type> types(1 + sums, scale);
  types[0] = x;
  return types;
}

Factors split_scaled_rows(const OpCall& call, size_t sums) {
  if (!splittable(call)) return {};
  const size_t rank = tensor_operand(call, 0).dims.size(), axis = axis_attribute(call, rank, -1);
  const std::string x = letters_before(rank, axis), scale = dots(rank - axis);
  std::vector<std::string> outputs(1 + sums, scale);
  outputs[0] = x;
  return {.text = factor_text(call, {x, scale, x}, outputs)};
}

}  // namespace foreflow::ops
