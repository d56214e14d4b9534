// Estimates the resources that the stages of a pipeline need without writing the pipeline's program, for many ways to
// cut the same program.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "foreflow/transform/pipeline.h"

namespace foreflow::transform {

// The needs of one virtual stage on one device of its group (the mean over the devices of the group).
struct StageNeed {
  // For one microbatch: the time of the computes, and the number of communications of each kind, indexed like
  // StageModel::messages.
  struct Task {
    Seconds compute;
    std::vector<int32_t> messages;
  };
  Task forward, input_grad, weight_grad;  // an unsplit backward pass is entirely in input_grad
  Seconds update;                         // computes of the optimizer, once a step
  // The time to add the gradients of a microbatch to those of the microbatches before it; and the part of it for terms
  // of which a gradient is the sum once a step, as that of a tied embedding, which ZeRO 2 exchanges no earlier.
  Seconds accumulation, accumulation_of_terms;
  // For the weights that this stage is the first to read:
  Bytes weights, states, gradients;
  // The weights whose gradients are sums over the samples: those that the forward pass of a microbatch reads, and those
  // that its gradients of activations read.
  Bytes read_forward, read_backward;
  // One thing that a pass does on a device, in the order of its program. `number` counts in StageModel::messages,
  // Trained::weights or Trained::gradients.
  struct Step {
    enum class Kind : uint8_t { compute, message, read, gradient } kind;
    bool is_late;    // part of weight_grad
    int32_t number;  // of a message, of a weight that is read, of a gradient that is made
    Seconds time;    // of computes
  };
  // These weights one by one, and their gradients, for each device of the group that differs from the others. Empty
  // where several stages read one of them, as then the exchange between replicas packs them in another way.
  struct Trained {
    double share = 0;              // of the devices of the group that do the same
    std::vector<Bytes> weights;    // on the device, in the order in which the forward pass first reads them
    std::vector<Bytes> gradients;  // that the backward pass of a microbatch makes, in that order
    std::vector<Step> forward, backward;
    Bytes summed;        // of the gradients that computes make
    Bytes summed_later;  // of the terms of other gradients, which devices sum after all microbatches
  };
  std::vector<Trained> trained;
  // The largest activation that the forward pass of a microbatch sends to the next stage, and the largest gradient that
  // the backward pass sends to the previous one. Of the devices of the group, that which sends least.
  Bytes to_next, to_previous;
  // What runs beside these messages where they have streams of their own: the computes of the task behind the op that
  // makes the value, and those of the other stage's task before the op that reads it. Of the value for which it is
  // least.
  Seconds beside_next, beside_previous;
  // Gradients of weights of which this stage and one other compute terms, by the number of that stage. Where the two
  // are on different devices, these sum the terms once a step. Of the devices of the group, that which has least.
  std::map<size_t, Bytes> shared;
  Bytes held;  // activations that a microbatch leaves for the backward pass of this stage
  // If the backward pass is split: activations and gradients that input_grad leaves for weight_grad.
  Bytes held_for_weights;
  // Lower bounds of the activations and gradients of one microbatch that are live at the same time.
  struct Peaks {
    // In the backward pass: the operands or the results of one op, or the values of one recomputed segment.
    Bytes working_set;
    // Including `held`: in the forward pass, in the backward pass, and in a backward pass without gradients of weights.
    Bytes forward, backward, input_grad;
  };
  Peaks peaks;
  // Where `overlap_tensor` cuts products: there may be only parts of gathered rows, and of terms of sums, at a time.
  Peaks peaks_in_parts;
};

// The program of one group of devices, whose batch is divided into equal parts: the microbatches of all replicas.
class StageModel {
 public:
  // Lower bounds of the time of an op on one part of the batch; of a communication 0.
  struct Price {
    using Time = std::function<Seconds(const ir::OpCall& call, std::span<const ir::Type> outputs)>;
    Time alone;
    // As one kernel with the op that makes one of its operands; infinite for an op that never is, and that no other op
    // joins. Empty where kernels are not fused.
    Time joined = {};

    // Whatever makes the operands.
    Seconds operator()(const ir::OpCall& call, std::span<const ir::Type> outputs) const {
      return joined ? std::min(alone(call, outputs), joined(call, outputs)) : alone(call, outputs);
    }
  };

  // `split_backward`: for schedules that run weight gradients as tasks of their own; the module is one from
  // with_split_backward. `shards`: as StagePrices::shards. Throws RefusalError as `pipeline` does.
  StageModel(std::shared_ptr<const ir::Module> module, const ir::OpTable& ops, bool split_backward, int parts,
             int shards, const Price& price);
  StageModel(StageModel&&) noexcept;
  ~StageModel();

  // What reads gathered rows, as `overlap_tensor` writes it. Times are the mean over the devices.
  struct Gathered {
    int ways;         // the parts into which the rows are cut, which go round a ring; 1: gathered at once
    Seconds readers;  // the products, uncut
    Seconds rows;     // the products of one part
    Seconds late;     // gradients of weights, which need all rows
  };

  // Each distinct communication op, with its operands and results on one part of the batch.
  struct Message {
    const ir::Op* op;
    std::vector<ir::Type> inputs, outputs;
    // The time of the op that computes the operands, if the message is a sum that `overlap_tensor` can run beside that
    // op and whose results are read directly after it. Where the message may run beside products: their time, and
    // that of the computes between them, where no other gather counts it.
    std::optional<Seconds> product;
    // True if that op computes nothing else, so that it is computed in chunks or the whole sum is waited for.
    bool is_exact = false;
    // The lengths of the dimensions along which `overlap_tensor` may cut the product whose results are summed; empty
    // where the operands are no results of a product. It cuts nothing where the chunks divide none of them.
    std::vector<int64_t> lengths = {};
    // True: `overlap_tensor` may run the message beside products. It is a sum of what gradients of x or several
    // products add up to, or it gathers rows that products read.
    bool may_run_beside              = false;
    std::optional<Gathered> gathered = {};  // of rows, where it is known
    // The time of one chunk of that product, where it is cut into two chunks, three, ... Infinite where it is not.
    std::vector<Seconds> chunks = {};
    // True: it is sent once a step. With several microbatches it sums what they have added up, not a product.
    bool is_once = false;
  };
  const std::vector<Message>& messages() const;

  // Adds prices by which stages are balanced. Returns their number, for `needs`.
  size_t add_prices(const StagePrices& prices);
  // The needs of the stages into which `pipeline` cuts the program. `wanted.prices` equal the prices of number
  // `prices`, except for `op`, which is not used. Throws RefusalError if the program has too few ops to cut.
  const std::vector<StageNeed>& needs(const Pipeline& wanted, size_t prices);

 private:
  class Program;
  std::unique_ptr<Program> program_;
};

// The program with gradients of weights that can run separately from those of activations.
ir::Module with_split_backward(const ir::Module& module, const ir::OpTable& ops);

// Whether the schedule of a pipeline splits its backward passes.
bool splits_backward(const Pipeline& wanted);

}  // namespace foreflow::transform
