#include "ops/elementwise.h"

namespace foreflow::ops::definitions {

namespace {

// The limit from attribute `name`, or else operand `index`; null: none.
template <class T>
std::optional<T> limit(const OpCall& call, std::string_view name, size_t index) {
  if (call.attributes.find(name) != nullptr) return static_cast<T>(call.attributes.float_or(name, 0));
  if (index >= call.arity() || call.known[index] == nullptr) return std::nullopt;
  if (call.known[index]->size() != 1) call.fail(std::string(name) + " is not one number");
  return values_of<T>(*call.known[index])[0];
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x = value_of(call, 0);
  return {with_number_type(x.dtype(), [&](auto zero) {
    using T                    = decltype(zero);
    const std::optional<T> low = limit<T>(call, "min", 1), high = limit<T>(call, "max", 2);
    std::vector<T> values      = values_of<T>(x);
    for (T& value : values) {
      if (low && value < *low) value = *low;
      if (high && value > *high) value = *high;
    }
    return array_of<T>(x.dtype(), x.dims(), values);
  })};
}

std::vector<Sample> samples() {
  return {{{{"min", -0.5}, {"max", 0.5}}, {f32({4, 2})}},
          {{}, {f32({4}), f32({}), f32({})}, {{1, Array::scalar(-0.25F)}, {2, Array::scalar(1.0F)}}},
          {{}, {f32({4}), Type{}, f32({})}, {{2, Array::scalar(0.0F)}}}};
}

}  // namespace

OpDef clip() {
  return {
      .name  = "Clip",
      .doc   = "x limited to [min, max]: (x, min, max) or attributes",
      .infer = [](const OpCall& call) -> std::vector<Type> {
        const Type x = tensor_operand(call, 0);
        for (size_t i = 1; i < call.arity(); ++i) common_dtype(call, std::vector<Type>{x, tensor_operand(call, i)});
        return {x};
      },
      .factors = same_shape_factors,
      .work    = elementwise_work<2>,
      .eval    = eval,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions
