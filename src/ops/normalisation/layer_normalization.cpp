#include "ops/common/axes.h"
#include "ops/common/broadcast.h"
#include "ops/common/kernel.h"
#include "ops/common/lanes.h"
#include "ops/common/letters.h"
#include "ops/common/normalisation.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::layer_normalization {

namespace {

double epsilon_of(const OpCall& call) { return call.attributes.float_or("epsilon", 1e-5); }

// The shape of Mean and InvStdDev: the normalised axes are 1.
Dims statistics_dims(const OpCall& call, const Dims& x) {
  Dims dims = x;
  for (size_t axis = axis_attribute(call, x.size(), -1); axis < x.size(); ++axis) dims[axis] = 1;
  return dims;
}

std::vector<Type> infer_normalization(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  for (size_t i = 1; i < call.arity(); ++i) {
    const Type operand = tensor_operand(call, i);
    common_dtype(call, std::vector{x, operand});
    if (has_dims(x) && has_dims(operand) && broadcast(call, x.dims, operand.dims) != x.dims) {
      call.fail("scale or bias is " + to_string(operand.dims) + "; it should broadcast to x, " + to_string(x.dims));
    }
  }
  // The statistics are computed in the type `stash_type`, which is Float32 unless x is wider.
  const DType statistics = x.is_tensor() && x.dtype == DType::f64 ? DType::f64 : DType::f32;
  std::vector<Type> types{x};
  for (size_t i = 1; i < call.outputs; ++i) {
    types.push_back(has_rank(x) ? Type::tensor(statistics, statistics_dims(call, x.dims)) : Type::unranked(statistics));
  }
  return types;
}

Factors normalization_factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const Dims x           = tensor_operand(call, 0).dims;
  const std::string kept = letters_before(x.size(), axis_attribute(call, x.size(), -1));
  std::vector<std::string> inputs{kept};
  for (size_t i = 1; i < call.arity(); ++i) {
    std::string text   = call.has(i) ? aligned_letters(call.inputs[i].dims, x) : "";
    const size_t extra = x.size() - text.size();
    for (size_t axis = 0; axis < text.size(); ++axis) {
      if (kept[axis + extra] == '.') text[axis] = '.';
    }
    inputs.push_back(text);
  }
  return {.text = factor_text(call, inputs, std::vector<std::string>(call.outputs, kept))};
}

std::vector<Array> eval_normalization(const OpCall& call) {
  const Array& x        = value_of(call, 0);
  const Dims& dims      = x.dims();
  const size_t row      = lanes_from(dims, axis_attribute(call, dims.size(), -1)).length;
  const auto values     = values_of<double>(x);
  const Moments moments = moments_of(values, row, epsilon_of(call));
  const auto scale      = spread(value_of(call, 1), dims);
  const auto bias       = call.has(2) ? spread(value_of(call, 2), dims) : std::vector<double>{};
  const auto types      = infer_normalization(call);
  std::vector<Array> outputs{array_of(x.dtype(), dims, normalised(values, row, moments, scale, bias))};
  if (types.size() > 1) outputs.push_back(array_of(types[1].dtype, types[1].dims, moments.mean));
  if (types.size() > 2) outputs.push_back(array_of(types[2].dtype, types[2].dims, moments.inverse_deviation));
  return outputs;
}

// No gradient comes through Mean and InvStdDev.
void grad_normalization(GradBuilder& builder) {
  const OpCall& call   = builder.call();
  const auto gradients = builder.emit("LayerNormalizationGrad",
                                      {{"axis", call.attributes.int_or("axis", -1)}, {"epsilon", epsilon_of(call)}},
                                      {builder.input(0), builder.input(1), builder.output_gradient(0)}, 3);
  for (size_t i = 0; i < call.arity(); ++i) {
    if (call.has(i) && builder.wanted(i)) builder.set_input_gradient(i, gradients[i]);
  }
}

}  // namespace

OpDef row() {
  return {
      .name = "LayerNormalization",
      .doc  = "(x - mean) / sqrt(variance + epsilon) * scale + bias over the axes from `axis` on -> y, Mean, InvStdDev",
      .normalises    = true,
      .takes_weights = true,
      .whole_because = "it normalises along that dimension",
      .infer         = infer_normalization,
      .factors       = normalization_factors,
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, kNormalisationFlops * count_of(outputs[0]));
          },
      .eval = eval_normalization,
      .grad = grad_normalization,
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({2, 4, 6}), f32({6}), f32({6})}},
                                       {{}, {f32({4, 3}), f32({3})}},
                                       {{{"axis", 1}, {"epsilon", 1e-3}}, {f32({4, 2, 3}), f32({2, 3}), f32({2, 3})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::layer_normalization
