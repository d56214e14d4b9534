#include "ops/common/elementwise.h"
#include "ops/common/letters.h"

namespace foreflow::ops::definitions::in_place_accumulator {

namespace {

std::vector<Type> infer(const OpCall& call) {
  if (call.arity() < 2) call.fail("has " + std::to_string(call.arity()) + " operands; a sum and a term would be right");
  const Type sum = tensor_operand(call, 0), term = tensor_operand(call, 1);
  if (has_dims(sum) && has_dims(term) && sum.dims != term.dims)
    call.fail("the term is " + to_string(term.dims) + "; it should have the shape of the sum, " + to_string(sum.dims));
  return {sum};
}

// Operand 2, where it is given, says whether the term is added.
std::vector<Array> eval(const OpCall& call) {
  const Array& sum = value_of(call, 0);
  if (call.has(2) && value_of(call, 2).at(0) == 0) return {sum};
  auto values     = values_of<double>(sum);
  const auto term = values_of<double>(value_of(call, 1));
  for (size_t i = 0; i < values.size(); ++i) values[i] += term[i];
  return {array_of(sum.dtype(), sum.dims(), values)};
}

}  // namespace

OpDef row() {
  return {
      .name     = "InPlaceAccumulator",
      .doc      = "sum, term, update (optional) -> sum + term, or sum where `update` is false; the types may differ",
      .domain   = "com.microsoft",
      .foldable = false,
      .infer    = infer,
      .factors  = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const std::string all = letters(tensor_operand(call, 0).dims.size());
        return {.text = factor_text(call, {all, all}, {all})};
      },
      .work = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, count_of(outputs[0])); },
      .eval = eval,
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({4, 2}), Type::tensor(DType::f16, {4, 2})}},
                                       {{},
                                        {f32({2}), f32({2}), boolean({1})},
                                        {{2, Array::of<bool>(DType::boolean, {1}, std::array{false})}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::in_place_accumulator
