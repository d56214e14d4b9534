#include "ops/common/pool.h"

#include <algorithm>

namespace foreflow::ops {

Window pool_window(const OpCall& call, const Dims& x) {
  const Sizes kernel = call.attributes.get_ints("kernel_shape");
  for (const int64_t size : kernel) {
    if (size < 1) call.fail("kernel_shape has the size " + std::to_string(size) + "; at least 1 would be right");
  }
  return window_of(call, x, kernel);
}

Type infer_pool(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  if (!has_rank(x)) return x;
  const Window window = pool_window(call, x.dims);
  return with_dims(x, with_spatial(x.dims[0], x.dims[1], window.output));
}

Factors pool_factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const std::string text = "nc" + dots(tensor_operand(call, 0).dims.size() - 2);
  return {.text = factor_text(call, {text}, std::vector<std::string>(call.outputs, text))};
}

Work pool_work(const OpCall& call, std::span<const Type> outputs) {
  const Type x = tensor_operand(call, 0);
  return computes(call, outputs,
                  has_dims(x) ? count_of(outputs[0]) * static_cast<double>(pool_window(call, x.dims).taps()) : 0);
}

Dims pool_operand(const OpCall& call, const Dims& dy) {
  const Sizes sizes = call.attributes.get_ints("sizes");
  const Dims x      = with_spatial(dy[0], dy[1], sizes);
  const Dims y      = with_spatial(dy[0], dy[1], pool_window(call, x).output);
  if (std::find(dy.begin(), dy.end(), Dims::kUnknown) == dy.end() && y != dy)
    call.fail("dy is " + to_string(dy) + "; it should have the shape of the pool's result, " + to_string(y));
  return x;
}

Attributes pool_grad_attributes(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  if (!has_dims(x)) call.fail("the shape must be known to differentiate");
  Attributes attributes = call.attributes;
  attributes.set("sizes", spatial(x.dims));
  return attributes;
}

Work pool_grad_work(const OpCall& call, std::span<const Type> outputs) {
  const Sizes kernel = call.attributes.get_ints("kernel_shape");
  double taps        = 1;
  for (const int64_t size : kernel) taps *= static_cast<double>(size);
  return computes(call, outputs, count_of(call.inputs[0]) * taps);
}

}  // namespace foreflow::ops
