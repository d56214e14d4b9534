// What the stages of a pipeline need, found without writing the pipeline's program: for estimates of many ways to cut
// the same program.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "foreflow/transform/pipeline.h"

namespace foreflow::transform {

// What one virtual stage needs on one device of its group (the mean over the devices of the group).
struct StageNeed {
  // Of one microbatch: the time of the computes, and how many communications of each kind there are, by
  // StageModel::messages.
  struct Task {
    Seconds compute;
    std::vector<int32_t> messages;
  };
  Task forward, input_grad, weight_grad;  // a backward that is not split is all in input_grad
  Seconds update;                         // computes of the optimizer, once a step
  // Adding the gradients of a microbatch to those of the microbatches before it.
  Seconds accumulation;
  // Of the weights that this stage reads first:
  Bytes weights, states, gradients;
  // Of the weights whose gradients are sums over the samples: those that the forward pass of a microbatch reads, and
  // those that its gradients of activations read.
  Bytes read_forward, read_backward;
  Bytes held;  // activations that a microbatch leaves for the backward pass of this stage
  // Where the backward pass is split: activations and gradients that weight_grad finds there when input_grad ends.
  Bytes held_for_weights;
  // At some time of the backward pass of a microbatch, so much is there of its activations and gradients: the operands
  // or the results of one op, or the values of one recomputed segment.
  Bytes working_set;
  // The most that the activations and gradients of one microbatch need in this stage during its forward pass, during
  // its backward pass, and during a backward pass without gradients of weights: with `held`.
  Bytes forward_peak, backward_peak, input_peak;
};

// The program of one group of devices, whose batch is divided into equal parts: the microbatches of all replicas.
class StageModel {
 public:
  // Lower bound of the time of an op on one part of the batch; of a communication 0.
  using Price = std::function<Seconds(const ir::OpCall& call, std::span<const ir::Type> outputs)>;

  // `split_backward`: for schedules that run weight gradients as tasks of their own; the module is one from
  // with_split_backward. `shards`: as StagePrices::shards. Throws RefusalError as `pipeline` does.
  StageModel(std::shared_ptr<const ir::Module> module, const ir::OpTable& ops, bool split_backward, int parts,
             int shards, const Price& price);
  StageModel(StageModel&&) noexcept;
  ~StageModel();

  // Each distinct communication op, with its operands and results on one part of the batch.
  struct Message {
    const ir::Op* op;
    std::vector<ir::Type> inputs, outputs;
    // Of a sum that may run beside the product whose results it sums (`overlap_tensor`), and whose results are read
    // directly after it: the time of the op that makes its operands.
    std::optional<Seconds> product;
    // Whether that op computes nothing but the operands, directly before the sum.
    bool is_exact = false;
    // The lengths of the dimensions along which `overlap_tensor` may cut the product whose results are summed; empty
    // where the operands are no results of a product. It cuts nothing where the chunks divide none of them.
    std::vector<int64_t> lengths = {};
  };
  const std::vector<Message>& messages() const;

  // Prices by which stages are balanced. The result is a number for `needs`.
  size_t add_prices(const StagePrices& prices);
  // What the stages need where `pipeline` cuts the program. `wanted.prices` are those of number `prices`, but for `op`,
  // which is not used. Throws RefusalError if there are too few places to cut.
  const std::vector<StageNeed>& needs(const Pipeline& wanted, size_t prices);

 private:
  class Program;
  std::unique_ptr<Program> program_;
};

// The program whose gradients of weights can run apart from those of activations.
ir::Module with_split_backward(const ir::Module& module, const ir::OpTable& ops);

// Whether the schedule of a pipeline splits its backward passes.
bool splits_backward(const Pipeline& wanted);

}  // namespace foreflow::transform
