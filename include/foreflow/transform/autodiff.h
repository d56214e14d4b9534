// From a prediction to a training step: loss, gradients, optimizer.
// Each pass works on the entry (last) function of a module whose parameters are annotated with types, and returns a new
// module; `ir::verify` holds after every pass.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// The kinds of add_loss.
std::vector<std::string> loss_names();

// A program that returns a prediction, as one that returns only its loss. `kind`: cross_entropy (by labels Int64;
// classes along `axis`; of the logits where the prediction is their Softmax), mean_square, or sum (the prediction as it
// stands: the loss is the sum of result 0). `output`: name or number of the result. Targets become a data parameter
// `target`. Error names the choices.
ir::Module add_loss(const ir::Module& module, const ir::OpTable& ops, std::string_view kind,
                    const std::string& output = "0", int64_t axis = -1);

// Reverse-mode differentiation of result 0 (the loss is the sum of its elements) with respect to every trained weight:
// the gradients, in the order of the weights, follow the results. Trained are the floating-point weights without the
// running statistics of BatchNormalization, or the parameters that `weights` names ('*' for any run of characters),
// which become weights. With Inputs::floating the gradients of floating-point data that the loss depends on stand
// before them (a target, which only the loss itself reads beside its prediction, has none). A called function becomes a
// pair of functions, once for all calls alike. Error names an op without a reverse rule.
enum class Inputs : uint8_t { none, floating };
ir::Module differentiate(const ir::Module& module, const ir::OpTable& ops, Inputs inputs = Inputs::none,
                         const std::vector<std::string>& weights = {});

// Replaces the gradients among the results (as `differentiate` left them, with the same `weights`) by updated weights.
// `name` is one of optimizer_names(); Error names them. What an optimizer keeps from step to step becomes a parameter
// that is a weight, named after the weight it belongs to: .velocity (momentum, nesterov), .m and .v (adam, adamw). sgd
// keeps nothing and is one op for all weights.
//
// Mixed precision (Micikevicius et al., 2018) is for weights narrower than Float32. With `master_weights` the states
// are Float32, and so is a copy of the weight, .master, that the steps add up in: 2 + 2 + 4 + 4 + 4 = 16 bytes a
// parameter for adam in Float16 with its gradient, as ZeRO (Rajbhandari et al., 2020) counts. With `float_gradients`
// the gradients are converted to Float32 where they are made, so that sums over microbatches and replicas are Float32
// too: 18 bytes, as in Megatron-LM for BFloat16.
struct MixedPrecision {
  bool master_weights = false, float_gradients = false;
};
std::vector<std::string> optimizer_names();
ir::Module add_optimizer(const ir::Module& module, const ir::OpTable& ops, std::string_view name,
                         MixedPrecision precision = {}, const std::vector<std::string>& weights = {});

}  // namespace foreflow::transform
