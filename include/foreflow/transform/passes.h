// Passes: programs to programs. Each works on the entry (last) function of a module whose parameters are annotated with
// types, and returns a new module; `ir::verify` holds after every pass.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/registry.h"
#include "foreflow/ir/module.h"
#include "foreflow/transform/layout.h"
#include "foreflow/transform/sharding.h"

namespace foreflow::transform {

// A parameter or result of the new program in terms of the old one: part `index` of `ways`, as `layout` spreads it.
struct Piece {
  int32_t source;
  Layout layout;
  int ways      = 1;
  int index     = 0;
  ir::Dims dims = {};  // of the whole, for flat results
};

struct Distributed {
  ir::Module module;
  std::vector<Piece> parameters;  // per new parameter
  std::vector<Piece> results;     // per new result; whole results appear once
};

// The new program's arguments from the old one's, and the old one's results from the new one's.
std::vector<ir::Array> split_arguments(const std::vector<Piece>& pieces, const std::vector<ir::Array>& arguments);
std::vector<ir::Array> merge_results(const std::vector<Piece>& pieces, const std::vector<ir::Array>& results,
                                     size_t count);

// Writes operands that only carry shapes into attributes and known numbers into constants, so that dimensions can be
// split. What computed them stays (see eliminate_dead_code): it is work that the original program does.
ir::Module resolve(const ir::Module& module);

// Removes what the entry's results do not need: ops, calls, results and parameters of functions that are called, and
// functions that nobody calls. Optimizers and communication stay, and so do calls that run them; the entry keeps its
// parameters.
ir::Module eliminate_dead_code(const ir::Module& module);

// Computes once what a function computes twice: of ops with equal attributes, operands and stated types the first
// stays, calls of functions included. Optimizers, communication and ops with state or randomness are left alone. Values
// live longer for it.
ir::Module eliminate_common_subexpressions(const ir::Module& module);

// Makes functions @block_0, @block_1, ... of the blocks that the program's functions repeat, such as the equal layers
// of a transformer: each time the block whose function saves most ops, of at least `smallest` ops and `calls` calls
// (Constants not counted), until none is left. A block is a stretch of ops that agree in ops, attributes, stated types
// and in what they pass to each other; it takes everything else as parameters, so it serves any shapes and devices.
constexpr int kSmallestBlock = 8, kFewestCalls = 2;
ir::Module outline(const ir::Module& module, int smallest = kSmallestBlock, int calls = kFewestCalls);

// Writes the bodies of function `name`, or of all when empty, in place of their calls, and removes the functions; the
// entry stays. Throws Error when there is no such function.
ir::Module inline_calls(const ir::Module& module, std::string_view name = "");

// Constants that products, convolutions and normalizations take as weights become weight parameters.
ir::Module lift_constants(const ir::Module& module, const ir::OpTable& ops);

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

// Tensor parallelism over `ways` devices D1..: weights are split as sharding.plan says, the splits are carried on by
// the ops' dimension factors, and what does not fit is summed, gathered or scattered. Throws RefusalError where `ways`
// does not divide what must be split, where a pattern of the plan matches no weight, and where nothing is split at all.
Distributed shard(const ir::Module& module, const ir::OpTable& ops, int ways, const Sharding& sharding = {});

// Data parallelism: `ways` copies of the program on groups of devices; each has a part of the batch; sums over the
// batch (gradients) are all-reduced before they are used. What the replicas do before the first of these sums is a
// function that each of them calls on its own devices.
//
// `zero` splits what replicas would otherwise all keep (Rajbhandari et al., 2020), tensor by tensor in flat parts: 1
// the optimizer states, 2 the gradients too, 3 the weights too. Gradients are then reduce-scattered, every replica
// updates its part, and new weights are all-gathered; with 3 they stay where they are, and a unit of weights is
// gathered before it is used in the forward and again in the backward pass. With 2 and 3 gradients are scattered as
// soon as they are made, in every microbatch; otherwise they are summed over the microbatches first. `overlap`: sums
// and gathers run on streams `comm` beside the computation: a sum begins when the last gradient of its bucket is made,
// and a unit of weights is gathered while the one before it is at work. `bucket`: gradients, in the order in which they
// are made, travel together as soon as they are so many bytes, and so do weights in the order in which they are used;
// 0: each by itself.
struct DataParallel {
  int ways     = 1;
  int zero     = 0;
  bool overlap = false;
  Bytes bucket{0};

  // There is more to do than to all-reduce each gradient before its use.
  bool shares() const { return ways > 1 && (zero > 0 || overlap || bucket > Bytes(0)); }
};
Distributed replicate(ir::Module module, const ir::OpTable& ops, const DataParallel& how);

// For programs on many devices: messages between devices travel on streams of their own (`to_next`, `to_prev` of the
// sender; `from_prev`, `from_next` of the receiver), so that computing goes on until they are needed.
ir::Module overlap_sends(const ir::Module& module, const ir::OpTable& ops);

// For programs on many devices: a product whose results are summed or scattered over several devices is cut into
// `chunks` along its rows, and the sum of one chunk runs on streams `tp` while the next one is computed.
ir::Module overlap_tensor(const ir::Module& module, const ir::OpTable& ops, int chunks);

// "shard(tp=2)": the arguments by name. Values are words or integers.
using PassArguments = std::map<std::string, std::string>;

struct PassDef {
  std::string_view name;
  std::string_view doc;  // with its arguments
  std::vector<std::string_view> arguments;
  ir::Module (*run)(const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments);
  // What the pass finds in the program, a line each, for people; null: nothing to say.
  std::vector<std::string> (*notes)(const ir::Module& module, const ir::OpTable& ops,
                                    const PassArguments& arguments) = nullptr;
};
const Registry<PassDef>& passes();

// Applies "NAME(key=value, ...)". Throws Error at "--pass ..." for unknown passes and arguments.
ir::Module apply(const ir::Module& module, const ir::OpTable& ops, std::string_view pass);

// What it would say about the program.
std::vector<std::string> notes(const ir::Module& module, const ir::OpTable& ops, std::string_view pass);

}  // namespace foreflow::transform
