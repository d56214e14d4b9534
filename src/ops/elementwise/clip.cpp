#include "ops/common/elementwise.h"

namespace foreflow::ops::definitions::clip {

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
    std::vector<T> values = values_of<T>(x);
    for (T& value : values) {
      if (low && value < *low) value = *low;
      if (high && value > *high) value = *high;
    }
    return array_of<T>(x.dtype(), x.dims(), values);
  })};
}

// dx = dy where the limits leave x as it is; a limit gets what it replaces.
void grad(GradBuilder& builder) {
  const OpCall& call = builder.call();
  const int x = builder.input(0), dy = builder.output_gradient(0), zero = emit_number(builder, 0);
  if (builder.wanted(0)) {
    const int kept = emit_op(builder, "Equal", {x, builder.output(0)});
    builder.set_input_gradient(0, emit_op(builder, "Where", {kept, dy, zero}));
  }
  for (size_t i = 1; i < call.arity(); ++i) {
    if (!call.has(i) || !builder.wanted(i)) continue;
    const int beyond = emit_op(builder, i == 1 ? "Less" : "Greater", {x, builder.input(i)});
    const int taken  = emit_op(builder, "Where", {beyond, dy, zero});
    builder.set_input_gradient(i, reduce_to(builder, taken, tensor_operand(call, 0), tensor_operand(call, i)));
  }
}

std::vector<Sample> samples() {
  return {{{{"min", -0.5}, {"max", 0.5}}, {f32({4, 2})}},
          {{}, {f32({4}), f32({}), f32({})}, {{1, Array::scalar(-0.25F)}, {2, Array::scalar(1.0F)}}},
          {{}, {f32({4}), Type{}, f32({})}, {{2, Array::scalar(0.0F)}}}};
}

}  // namespace

OpDef row() {
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
      .grad    = grad,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::clip
