#include <algorithm>

#include "ops/common/kernel.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::yield_op {

namespace {

// Which results have a gradient: all but those listed in `non_differentiable_outputs`.
std::vector<size_t> differentiable(const OpCall& call) {
  const auto without = call.attributes.find_ints("non_differentiable_outputs").value_or(std::vector<int64_t>{});
  std::vector<size_t> all;
  for (size_t i = 0; i < call.arity(); ++i) {
    if (std::find(without.begin(), without.end(), static_cast<int64_t>(i)) == without.end()) all.push_back(i);
  }
  return all;
}

}  // namespace

OpDef row() {
  return {
      .name = "YieldOp",
      .doc =
          "results of the forward pass -> their gradients, which come from outside; the reference kernel gives ones, "
          "the gradients of their sum",
      .domain   = "com.microsoft",
      .foldable = false,
      .infer =
          [](const OpCall& call) {
            std::vector<Type> types;
            for (const size_t i : differentiable(call)) types.push_back(tensor_operand(call, i));
            return types;
          },
      .factors = [](const OpCall&) -> Factors { return {}; },
      .work    = nothing,
      .eval =
          [](const OpCall& call) {
            std::vector<Array> gradients;
            for (const size_t i : differentiable(call)) {
              const Array& x = value_of(call, i);
              gradients.push_back(array_of(x.dtype(), x.dims(), std::vector<double>(static_cast<size_t>(x.size()), 1)));
            }
            return gradients;
          },
      .samples =
          [] {
            return std::vector<Sample>{
                {{{"full_shape_outputs", std::vector<int64_t>{0}}}, {f32({})}},
                {{{"non_differentiable_outputs", std::vector<int64_t>{1}}}, {f32({2, 3}), i64({2})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::yield_op
