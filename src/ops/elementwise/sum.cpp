#include "ops/common/elementwise.h"
#include "ops/common/table_rows.h"

namespace foreflow::ops::definitions::sum {

namespace {

Type sum_of(const OpCall& call, const std::vector<Type>& terms) {
  if (!terms[0].is_tuple()) {
    return infer_elementwise({call.def, call.attributes, terms, std::vector<const Array*>(terms.size()), 1},
                             Accepts::numbers, Gives::same);
  }
  std::vector<Type> elements;
  for (size_t e = 0; e < terms[0].elements.size(); ++e) {
    std::vector<Type> column;
    for (const Type& term : terms) {
      if (term.elements.size() != terms[0].elements.size()) {
        call.fail("operands are different tuples; tuples of the same structure would be right");
      }
      column.push_back(term.elements[e]);
    }
    elements.push_back(sum_of(call, column));
  }
  return Type::tuple(std::move(elements));
}

Array add(const OpCall& call, const Array& x, const Array& y) {
  if (!x.is_tuple()) {
    return map_pairs(call, x, y, x.dtype(), [](auto a, auto b) { return wrapping(std::plus{}, a, b); });
  }
  std::vector<Array> elements;
  for (size_t e = 0; e < x.elements().size(); ++e) elements.push_back(add(call, x.elements()[e], y.elements()[e]));
  return Array::tuple(std::move(elements));
}

// Floats with all digits, so that a sum of many is rounded once.
Array widened(const Array& x) {
  if (!x.is_tuple()) return Wide::widened(x);
  std::vector<Array> elements;
  for (const Array& element : x.elements()) elements.push_back(widened(element));
  return Array::tuple(std::move(elements));
}

// The sum in the types of the first operand.
Array rounded(const Array& sum, const Array& like) {
  if (!sum.is_tuple())
    return ir::is_float(like.dtype()) ? array_of(like.dtype(), sum.dims(), values_of<double>(sum)) : sum;
  std::vector<Array> elements;
  for (size_t e = 0; e < sum.elements().size(); ++e) elements.push_back(rounded(sum.elements()[e], like.elements()[e]));
  return Array::tuple(std::move(elements));
}

std::vector<Sample> samples() {
  const Type pair = Type::tuple({f32({2, 2}), f32({4})});
  return {{{}, {f32({4, 2}), f32({2}), f32({4, 1})}}, {{}, {f32({4})}}, {{}, {pair, pair}}};
}

}  // namespace

OpDef row() {
  return {
      .name          = "Sum",
      .doc           = "sum of any number of tensors, or of tuples of the same structure, element by element",
      .additive      = true,
      .sums_operands = true,
      .infer         = [](const OpCall& call) -> std::vector<Type> {
        if (call.arity() == 0) call.fail("has no operands; at least one would be right");
        return {sum_of(call, {call.inputs.begin(), call.inputs.end()})};
      },
      .factors = broadcast_factors,
      .work    = elementwise_work<1>,
      .eval    = [](const OpCall& call) -> std::vector<Array> {
        Array total = widened(value_of(call, 0));
        for (size_t i = 1; i < call.arity(); ++i) total = add(call, total, widened(value_of(call, i)));
        return {rounded(total, value_of(call, 0))};
      },
      .grad =
          [](GradBuilder& builder) {
            const bool tuples = builder.call().inputs[0].is_tuple();
            for (size_t i = 0; i < builder.call().arity(); ++i) {
              if (!builder.wanted(i)) continue;
              if (tuples) {
                builder.set_input_gradient(i, builder.output_gradient(0));
              } else
                set_broadcast_gradient(builder, i, builder.output_gradient(0));
            }
          },
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::sum
