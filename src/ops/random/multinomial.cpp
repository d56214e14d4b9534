#include <algorithm>
#include <cmath>

#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"
#include "ops/random/random.h"

namespace foreflow::ops::definitions::multinomial {

namespace {

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  if (has_rank(x) && x.dims.size() != 2) call.fail("x is " + to_string(x.dims) + "; it should be (batch, classes)");
  if (call.attributes.int_or("sample_size", 1) < 0) call.fail("sample_size should not be negative");
  return {Type::tensor(dtype_attribute(call, DType::i32),
                       {has_rank(x) ? x.dims[0] : Dims::kUnknown, call.attributes.int_or("sample_size", 1)})};
}

// One draw: the first class where the sum of probabilities passes a uniform number.
int64_t draw(std::span<const double> logarithms, Generator& generator) {
  const double largest = *std::max_element(logarithms.begin(), logarithms.end());
  double total         = 0;
  for (const double logarithm : logarithms) total += std::exp(logarithm - largest);
  double rest = generator.uniform() * total;
  for (size_t i = 0; i + 1 < logarithms.size(); ++i) {
    rest -= std::exp(logarithms[i] - largest);
    if (rest < 0) return static_cast<int64_t>(i);
  }
  return static_cast<int64_t>(logarithms.size()) - 1;
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x      = value_of(call, 0);
  const auto values   = values_of<double>(x);
  const auto classes  = static_cast<size_t>(x.dims()[1]);
  Generator generator = generator_of(call);
  const Type result   = infer(call)[0];
  if (classes == 0) call.fail("x has no classes to draw from");
  std::vector<int64_t> drawn;
  for (size_t row = 0; row < values.size(); row += classes) {
    for (int64_t i = 0; i < result.dims[1]; ++i)
      drawn.push_back(draw(std::span(values).subspan(row, classes), generator));
  }
  return {array_of(result.dtype, result.dims, drawn)};
}

}  // namespace

OpDef row() {
  return {
      .name = "Multinomial",
      .doc  = "x[b,c] logarithms of weights -> `sample_size` classes [b,n] drawn by them, the same for the same `seed`",
      .foldable      = false,
      .whole_because = "the random numbers of a part are not those of the whole",
      .infer         = infer,
      .factors       = [](const OpCall& call) -> Factors {
        return splittable(call) ? Factors{.text = factor_text(call, {}, {".."})} : Factors{};
      },
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            const double sums = has_dims(call.inputs[0]) ? static_cast<double>(call.inputs[0].dims[1]) : 0;
            return computes(call, outputs, (kTranscendental + 1) * sums * count_of(outputs[0]));
          },
      .eval = eval,
      .samples =
          [] {
            return std::vector<Sample>{{{{"sample_size", 5}, {"seed", 1.0}}, {f32({2, 3})}},
                                       {{{"dtype", "Int64"}, {"seed", 2.0}}, {f32({3, 4})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::multinomial
