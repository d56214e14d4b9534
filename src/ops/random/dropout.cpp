#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/operands.h"
#include "ops/common/work.h"
#include "ops/random/random.h"

namespace foreflow::ops::definitions::dropout {

namespace {

double ratio_of(const OpCall& call) {
  return call.has(1) ? number_of(call, value_of(call, 1)) : call.attributes.float_or("ratio", 0.5);
}

// Returns true if numbers are dropped: operand 2, training_mode, is true and the ratio is not 0.
bool drops(const OpCall& call) { return call.has(2) && number_of(call, value_of(call, 2)) != 0 && ratio_of(call) != 0; }

// The numbers that stay grow, so that their expectation does.
std::vector<Array> eval(const OpCall& call) {
  const Array& x = value_of(call, 0);
  auto values    = values_of<double>(x);
  std::vector<int64_t> kept(values.size(), 1);
  if (drops(call)) {
    Generator generator = generator_of(call);
    const double ratio  = ratio_of(call);
    for (int64_t& one : kept) one = generator.uniform() >= ratio ? 1 : 0;
    for (size_t i = 0; i < values.size(); ++i) values[i] = kept[i] != 0 ? values[i] / (1 - ratio) : 0;
  }
  std::vector<Array> outputs{array_of(x.dtype(), x.dims(), values)};
  if (call.outputs > 1) outputs.push_back(array_of(DType::boolean, x.dims(), kept));
  return outputs;
}

// By the mask where the program keeps one; else Dropout of the gradient by the same seed drops the same elements.
void grad(GradBuilder& builder) {
  const OpCall& call = builder.call();
  int gradient       = builder.output_gradient(0);
  if (call.has(2) && call.outputs > 1) {
    gradient = builder.emit("DropoutGrad", {},
                            {gradient, builder.output(1), call.has(1) ? builder.input(1) : -1, builder.input(2)})[0];
  } else if (call.has(2)) {
    gradient =
        builder.emit("Dropout", call.attributes, {gradient, call.has(1) ? builder.input(1) : -1, builder.input(2)})[0];
  }
  builder.set_input_gradient(0, gradient);
}

std::vector<Sample> samples() {
  const std::pair<size_t, Array> nothing{1, Array::scalar(0.0F)},
      training{2, array_of(DType::boolean, {}, std::vector<int64_t>{1})};
  return {{{{"ratio", 0.1}}, {f32({4, 2})}},
          {.attributes = {}, .inputs = {f32({2, 2, 3})}, .outputs = 2},
          {{{"seed", 5}}, {f32({4, 2}), f32({}), boolean({})}, {nothing, training}}};
}

}  // namespace

OpDef row() {
  return {
      .name = "Dropout",
      .doc =
          "x, ratio, training_mode -> x and a mask of ones, or in training x / (1 - ratio) where the mask says so, by "
          "`seed`",
      .foldable       = false,
      .adjusts_scores = true,
      .infer =
          [](const OpCall& call) {
            const Type x = tensor_operand(call, 0);
            std::vector<Type> types{x};
            if (call.outputs > 1)
              types.push_back(has_rank(x) ? Type::tensor(DType::boolean, x.dims) : Type::unranked(DType::boolean));
            return types;
          },
      // In training each part drops by its own mask: the distribution is that of the whole, not the numbers.
      .factors = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const std::string all = letters(tensor_operand(call, 0).dims.size());
        return {.text = factor_text(call, {all}, std::vector<std::string>(call.outputs, all))};
      },
      // In inference it is left out; in training each number is compared with a drawn one and scaled.
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return call.has(2) ? computes(call, outputs, 2 * count_of(outputs[0])) : nothing(call, outputs);
          },
      .eval    = eval,
      .grad    = grad,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::dropout
