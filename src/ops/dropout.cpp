#include "ops/kernel.h"
#include "ops/letters.h"
#include "ops/operands.h"
#include "ops/work.h"

namespace foreflow::ops::definitions {

namespace {

// Whether numbers would be dropped: operand 2, training_mode, is true and the ratio is not 0.
bool drops(const OpCall& call) {
  const bool training = call.has(2) && number_of(call, value_of(call, 2)) != 0;
  const double ratio  = call.has(1) ? number_of(call, value_of(call, 1)) : call.attributes.float_or("ratio", 0.5);
  return training && ratio != 0;
}

}  // namespace

OpDef dropout() {
  return {
      .name     = "Dropout",
      .doc      = "x -> x and a mask of ones, as in inference",
      .foldable = false,
      .infer =
          [](const OpCall& call) {
            const Type x = tensor_operand(call, 0);
            std::vector<Type> types{x};
            if (call.outputs > 1)
              types.push_back(has_rank(x) ? Type::tensor(DType::boolean, x.dims) : Type::unranked(DType::boolean));
            return types;
          },
      .factors = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const std::string all = letters(tensor_operand(call, 0).dims.size());
        return {.text = factor_text(call, {all}, std::vector<std::string>(call.outputs, all))};
      },
      .work = nothing,
      .eval = [](const OpCall& call) -> std::vector<Array> {
        const Array& x = value_of(call, 0);
        if (drops(call)) call.fail("is random in training; it can be evaluated with training_mode = 0 or ratio = 0");
        std::vector<Array> outputs{x};
        if (call.outputs > 1) {
          outputs.push_back(array_of(DType::boolean, x.dims(), std::vector<int64_t>(static_cast<size_t>(x.size()), 1)));
        }
        return outputs;
      },
      .grad = [](GradBuilder& builder) { builder.set_input_gradient(0, builder.output_gradient(0)); },
      .samples =
          [] {
            return std::vector<Sample>{{{{"ratio", 0.1}}, {f32({4, 2})}},
                                       {.attributes = {}, .inputs = {f32({2, 2, 3})}, .outputs = 2}};
          },
  };
}

}  // namespace foreflow::ops::definitions
