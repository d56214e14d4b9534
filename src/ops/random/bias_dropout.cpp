#include "ops/common/elementwise.h"
#include "ops/common/table_rows.h"

namespace foreflow::ops::definitions::bias_dropout {

namespace {

// Operands: x, bias, residual, ratio (0.5), training_mode (false).
constexpr size_t kResidual = 2, kRatio = 3, kTraining = 4;

std::vector<Type> infer(const OpCall& call) {
  if (call.arity() < 2) call.fail("has " + std::to_string(call.arity()) + " operands; x and bias would be right");
  const Type x = tensor_operand(call, 0);
  common_dtype(call, std::vector{x, tensor_operand(call, 1)});
  std::vector<Type> types{x};
  if (call.outputs > 1)
    types.push_back(has_rank(x) ? Type::tensor(DType::boolean, x.dims) : Type::unranked(DType::boolean));
  return types;
}

// As in inference: Dropout refuses to be random.
std::vector<Array> eval(const OpCall& call) {
  const Array& x             = value_of(call, 0);
  const Array sum            = map_pairs(call, x, value_of(call, 1), DType::f64, std::plus{});
  const auto given           = [&](size_t i) { return call.has(i) ? &value_of(call, i) : nullptr; };
  std::vector<Array> results = evaluate("Dropout", {}, {&sum, given(kRatio), given(kTraining)}, call.outputs);
  if (call.has(kResidual)) results[0] = map_pairs(call, results[0], value_of(call, kResidual), DType::f64, std::plus{});
  results[0] = array_of(x.dtype(), x.dims(), values_of<double>(results[0]));
  return results;
}

}  // namespace

OpDef row() {
  return {
      .name = "BiasDropout",
      .doc =
          "x, bias, residual, ratio, training_mode -> residual + Dropout(x + bias), and a mask of ones, as in "
          "inference",
      .domain    = "com.microsoft",
      .foldable  = false,
      .adds_bias = true,
      .infer     = infer,
      .factors =
          [](const OpCall& call) {
            Factors factors = broadcast_factors(call);
            if (call.outputs > 1 && !factors.text.empty())
              factors.text += "," + factors.text.substr(factors.text.find('>') + 1);
            return factors;
          },
      .work = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 4 * count_of(outputs[0])); },
      .eval = eval,
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({2, 4}), f32({4}), f32({2, 4})}, {}, 2},
                                       {{}, {f32({2, 3}), f32({3})}, {}, 1}};
          },
  };
}

}  // namespace foreflow::ops::definitions::bias_dropout
