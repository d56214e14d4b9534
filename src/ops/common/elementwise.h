// Families of elementwise ops: a row is its name, its formula and its cost an element.
#pragma once

#include <functional>

#include "foreflow/base/nth.h"
#include "ops/common/broadcast.h"
#include "ops/common/kernel.h"
#include "ops/common/views.h"
#include "ops/common/work.h"

namespace foreflow::ops {

enum class Accepts : uint8_t { numbers, floats, integers, unsigned_integers, booleans, anything };
enum class Gives : uint8_t { same, boolean };  // dtype of the result
enum class Operands : uint8_t { two, any };

// Type rules and samples of the families.
Type infer_elementwise(const OpCall& call, Accepts accepts, Gives gives);
void check_two_operands(const OpCall& call);
Factors same_shape_factors(const OpCall& call);
std::vector<Sample> unary_samples(DType dtype);
std::vector<Sample> positive_samples();  // for formulas that need x > 0
std::vector<Sample> binary_samples(DType dtype);
// The second operand away from zero.
std::vector<Sample> divisor_samples();

// The reverse rule of Max and Min: an operand gets the gradient where `beats` (Greater, Less) holds between it and the
// best of the operands before it, the first one where none after it does.
void grad_of_choice(GradBuilder& builder, std::string_view beats);
std::vector<Sample> choice_samples();  // of any number of operands

// The reverse rule of a piecewise constant: wherever it has a slope, that is zero, so no operand gets a gradient.
void pass_no_gradient(GradBuilder& builder);

template <int kFlops>
Work elementwise_work(const OpCall& call, std::span<const Type> outputs) {
  return computes(call, outputs,
                  kFlops * count_of(outputs[0]) * static_cast<double>(std::max<size_t>(1, call.arity() - 1)));
}

// Integer arithmetic that wraps around, as machines do, without undefined behaviour.
template <class T, class F>
T wrapping(F formula, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(formula(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
  } else {
    return formula(a, b);
  }
}

template <class F>
Array map_elements(const Array& x, DType result, F formula) {
  return with_number_type(x.dtype(), [&](auto zero) {
    using T               = decltype(zero);
    std::vector<T> values = values_of<T>(x);
    for (T& value : values) value = static_cast<T>(formula(value));
    return array_of<T>(result, x.dims(), values);
  });
}

template <class F>
Array map_pairs(const OpCall& call, const Array& x, const Array& y, DType result, F formula) {
  const Dims dims = broadcast(call, x.dims(), y.dims());
  return with_number_type(x.dtype(), [&](auto zero) {
    using T                 = decltype(zero);
    const std::vector<T> xs = values_of<T>(x), ys = values_of<T>(y);
    const Offsets x_at = broadcast_offsets(x.dims(), dims), y_at = broadcast_offsets(y.dims(), dims);
    std::vector<T> values(x_at.size());
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<T>(formula(nth(xs, x_at[i]), nth(ys, y_at[i])));
    }
    return array_of<T>(result, dims, values);
  });
}

// kMake(attributes) is the formula: number -> number.
template <auto kMake, int kFlops, Accepts kAccepts = Accepts::floats, Gives kGives = Gives::same>
OpDef unary_with(std::string_view name, std::string_view doc) {
  return {
      .name    = name,
      .doc     = doc,
      .infer   = [](const OpCall& call) -> std::vector<Type> { return {infer_elementwise(call, kAccepts, kGives)}; },
      .factors = same_shape_factors,
      .work    = elementwise_work<kFlops>,
      .eval    = [](const OpCall& call) -> std::vector<Array> {
        const Array& x = value_of(call, 0);
        return {map_elements(x, kGives == Gives::boolean ? DType::boolean : x.dtype(), kMake(call.attributes))};
      },
      .samples = [] { return unary_samples(kAccepts == Accepts::booleans ? DType::boolean : DType::f32); },
  };
}

template <auto kFormula, int kFlops, Accepts kAccepts = Accepts::floats, Gives kGives = Gives::same>
OpDef unary(std::string_view name, std::string_view doc) {
  return unary_with<[](const Attributes&) { return kFormula; }, kFlops, kAccepts, kGives>(name, doc);
}

// kFormula: two numbers -> number, folded over the operands from the left.
template <auto kFormula, int kFlops, Accepts kAccepts = Accepts::numbers, Gives kGives = Gives::same,
          Operands kOperands = Operands::two>
OpDef binary(std::string_view name, std::string_view doc) {
  return {
      .name  = name,
      .doc   = doc,
      .infer = [](const OpCall& call) -> std::vector<Type> {
        if (kOperands == Operands::two) check_two_operands(call);
        return {infer_elementwise(call, kAccepts, kGives)};
      },
      .factors = broadcast_factors,
      .work    = elementwise_work<kFlops>,
      .eval    = [](const OpCall& call) -> std::vector<Array> {
        Array result = value_of(call, 0);
        for (size_t i = 1; i < call.arity(); ++i) {
          const DType dtype = kGives == Gives::boolean ? DType::boolean : result.dtype();
          result            = map_pairs(call, result, value_of(call, i), dtype, kFormula);
        }
        return {result};
      },
      .samples = [] { return binary_samples(kAccepts == Accepts::booleans ? DType::boolean : DType::f32); },
  };
}

}  // namespace foreflow::ops
