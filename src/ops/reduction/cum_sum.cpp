#include "foreflow/base/nth.h"
#include "ops/common/axes.h"
#include "ops/common/elementwise.h"
#include "ops/common/letters.h"
#include "ops/common/operands.h"

namespace foreflow::ops::definitions::cum_sum {

namespace {

std::optional<size_t> axis_of(const OpCall& call, size_t rank) {
  const Integers axis = integers(call, "axis", 1);
  if (!axis.given) call.fail("has neither an operand nor an attribute `axis`");
  if (!axis.list) return std::nullopt;
  return normal_axis(call, first_of(call, *axis.list), rank);
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  std::string text                 = letters(tensor_operand(call, 0).dims.size());
  const std::optional<size_t> axis = axis_of(call, text.size());
  if (!axis) return {};
  text[*axis] = '.';
  return {.text = factor_text(call, {text}, {text})};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x       = value_of(call, 0);
  const size_t axis    = *axis_of(call, x.dims().size());
  const bool exclusive = call.attributes.int_or("exclusive", 0) != 0,
             reverse   = call.attributes.int_or("reverse", 0) != 0;
  const int64_t count = x.dims()[axis], stride = strides_of(x.dims())[axis];
  Dims starts  = x.dims();
  starts[axis] = 1;
  return {with_number_type(x.dtype(), [&](auto zero) {
    using T               = decltype(zero);
    std::vector<T> values = values_of<T>(x);
    for (const int64_t start : offsets_of(starts, strides_of(x.dims()))) {
      T sum{0};
      for (int64_t i = 0; i < count; ++i) {
        T& value      = nth(values, start + (reverse ? count - 1 - i : i) * stride);
        const T after = wrapping(std::plus{}, sum, value);
        value         = exclusive ? sum : after;
        sum           = after;
      }
    }
    return array_of<T>(x.dtype(), x.dims(), values);
  })};
}

// An element is a term of every sum behind it, so its gradient is the running sum from the other end.
void grad(GradBuilder& builder) {
  const OpCall& call = builder.call();
  const Type x       = tensor_operand(call, 0);
  if (!has_rank(x) || !axis_of(call, x.dims.size())) call.fail("the rank and the axis must be known to differentiate");
  const Attributes attributes{{"axis", static_cast<int64_t>(*axis_of(call, x.dims.size()))},
                              {"exclusive", call.attributes.int_or("exclusive", 0)},
                              {"reverse", int64_t{call.attributes.int_or("reverse", 0) == 0}}};
  builder.set_input_gradient(0, builder.emit("CumSum", attributes, {builder.output_gradient(0)})[0]);
}

}  // namespace

OpDef row() {
  return {
      .name          = "CumSum",
      .doc           = "running sum of x along `axis` (attribute or operand)",
      .additive      = true,
      .whole_because = "it adds up along that dimension",
      .infer         = [](const OpCall& call) -> std::vector<Type> { return {tensor_operand(call, 0)}; },
      .factors       = factors,
      .work          = elementwise_work<1>,
      .eval          = eval,
      .grad          = grad,
      .samples =
          [] {
            return std::vector<Sample>{
                {{}, {f32({4, 3}), i64({})}, {{1, Array::scalar(int64_t{1})}}},
                {{{"axis", int64_t{0}}, {"exclusive", int64_t{1}}, {"reverse", int64_t{1}}}, {f32({3, 2})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::cum_sum
