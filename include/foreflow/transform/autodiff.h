// Turns a program that predicts into a training step: loss, gradients, optimizer.
//
// Each pass works on the entry (last) function of a module whose parameters are annotated with types. It returns a new
// module, which passes `ir::verify`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// The names of the loss functions that `add_loss` takes as `kind`.
std::vector<std::string> loss_names();

// Turns a program that returns a prediction into one that returns only its loss. `output` is the name or number of the
// result that is the prediction. `kind` is one of
//
//   cross_entropy   against Int64 labels, with the classes along `axis`. If the prediction is a Softmax, the loss is
//                   computed from its logits.
//   mean_square     against a target of the same shape
//   sum             the prediction itself: the loss is the sum of its elements
//
// Labels and targets become a data parameter `target`. Throws Error, naming the choices, for an unknown kind or result.
ir::Module add_loss(const ir::Module& module, const ir::OpTable& ops, std::string_view kind,
                    const std::string& output = "0", int64_t axis = -1);

// The program in which the floating-point parameters that match one of the patterns `names` ('*' stands for any run of
// characters) are weights. Throws Error if a pattern matches no parameter.
ir::Module with_weights(const ir::Module& module, const std::vector<std::string>& names);

// Which data parameters `differentiate` computes gradients of, besides the weights.
enum class Inputs : uint8_t { none, floating };

// Per parameter of the entry: whether it is a floating-point weight that holds zeros and ones and tells which elements
// of something else count. Exports of GPT-2 hold the causal mask of each layer so:
//
//   %m = Slice(%h.0.attn.bias, ...)
//   %kept = Mul(%scores, %m)
//   %hidden = Mul(Sub(1, %m), 10000)
//
//   1. The weight, or what views make of it, is multiplied by something that is not a weight.
//   2. It is subtracted from one, and the difference is multiplied by a number of at least 1000 in magnitude.
//   3. Nothing else reads it.
//
// A learned gate, g * x + (1 - g) * y, is none.
std::vector<bool> mask_weights(const ir::Module& module);

// Reverse-mode differentiation. The loss is the sum of the elements of result 0.
//
// 1. The gradients of the trained weights are appended to the results, in the order of the weights.
// 2. If `weights` is empty, every floating-point weight is trained, except the running statistics of
//    BatchNormalization and `mask_weights`. Otherwise the parameters that match one of its patterns are trained ('*'
//    stands for any run of characters); they become weights.
// 3. With Inputs::floating, the gradients of the floating-point data that the loss depends on come before those of the
//    weights. A target has none: only the loss itself reads it, next to the prediction.
// 4. A called function becomes a forward and a backward function. Calls with the same signature that need the same
//    gradients share them.
//
// Throws Error naming the op if an op has no reverse rule.
ir::Module differentiate(const ir::Module& module, const ir::OpTable& ops, Inputs inputs = Inputs::none,
                         const std::vector<std::string>& weights = {});

// Mixed-precision training (Micikevicius et al., 2018); applies to weights narrower than Float32.
struct MixedPrecision {
  // The optimizer states are Float32, and the updates accumulate in a Float32 copy of the weight, `.master`. With adam
  // and Float16 weights a parameter then takes 2 (weight) + 2 (gradient) + 4 + 4 (states) + 4 (master) = 16 bytes, as
  // ZeRO counts them (Rajbhandari et al., 2020).
  bool master_weights = false;
  // Gradients are converted to Float32 as soon as they are computed, so that they are also summed over microbatches and
  // replicas in Float32: 18 bytes a parameter, as in Megatron-LM with BFloat16.
  bool float_gradients = false;
};

std::vector<std::string> optimizer_names();

// Replaces the gradients among the results, as `differentiate` appended them for the same `weights`, by updated
// weights. `name` is one of optimizer_names(); throws Error with these names otherwise.
//
// An optimizer state becomes a parameter with the role of a weight. It is named after the weight that it belongs to:
// `.velocity` (momentum, nesterov), `.m` and `.v` (adam, adamw). sgd has no state and is one op for all weights.
ir::Module add_optimizer(const ir::Module& module, const ir::OpTable& ops, std::string_view name,
                         MixedPrecision precision = {}, const std::vector<std::string>& weights = {});

}  // namespace foreflow::transform
