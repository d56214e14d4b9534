// Estimates the resources that the stages of a pipeline need without writing the pipeline's program, for many ways to
// cut the same program.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "foreflow/ir/written_devices.h"
#include "foreflow/transform/pipeline.h"

namespace foreflow::transform {

// The resources that one virtual stage needs on one device of its group: the mean over the devices of the group, unless
// a member says otherwise.
struct StageNeed {
  // The work of one pass of one microbatch: the time of its computes, and for each entry of StageModel::messages how
  // often the pass sends that message.
  struct Task {
    Seconds compute;
    std::vector<int32_t> messages;
  };
  Task forward, input_grad, weight_grad;  // an unsplit backward pass is entirely in input_grad
  Seconds update;                         // computes of the optimizer, once a step
  // `accumulation` is the time to add the gradients of a microbatch to those of the microbatches before it.
  // `accumulation_of_terms` is the part of it for terms that are summed only once a step, after all microbatches.
  // Example: the gradient of a tied embedding is the sum of a term of the first stage and one of the last. ZeRO 2
  // cannot exchange such a gradient earlier.
  Seconds accumulation, accumulation_of_terms;
  // The bytes of the weights that this stage is the first to read, of their optimizer states, and of their gradients.
  Bytes weights, states, gradients;
  // The bytes of weights whose gradients are sums over the samples: of those that the forward pass of a microbatch
  // reads, and of those that its gradients of activations read.
  Bytes read_forward, read_backward;
  // One step of a pass on a device. Steps are in the order of the program.
  //
  //   compute    `time` is the time of computes that follow each other
  //   message    `number` is an index into StageModel::messages
  //   read       the pass reads a weight; `number` is its index in Trained::weights
  //   gradient   the pass has made a gradient; `number` is its index in Trained::gradients
  struct Step {
    enum class Kind : uint8_t { compute, message, read, gradient } kind;
    bool is_late;    // part of weight_grad
    int32_t number;  // of a message, of a weight that is read, of a gradient that is made
    Seconds time;    // of computes
  };
  // The weights of `read_forward` and `read_backward` one by one, with their gradients: one entry for each device of
  // the group that differs from the others. There are no entries if several stages read one of these weights, because
  // the exchange between replicas packs them in another way then.
  struct Trained {
    double share = 0;              // of the devices of the group that do the same
    std::vector<Bytes> weights;    // on the device, in the order in which the forward pass first reads them
    std::vector<Bytes> gradients;  // that the backward pass of a microbatch makes, in that order
    std::vector<Step> forward, backward;
    Bytes summed;        // of the gradients that computes make
    Bytes summed_later;  // of the terms of other gradients, which devices sum after all microbatches
  };
  std::vector<Trained> trained;
  // A value that every device of the group sends to a neighbouring stage. If messages have streams of their own, the
  // message may leave before its task ends, and the task that reads it may begin before it arrives: `beside` is the sum
  // of
  //
  //   1. the computes of the sending task behind the op that makes the value, and
  //   2. the computes of the receiving task before the op that reads the value.
  //
  // Example: if the op that makes the value is the last of its task, and the op that reads it is the first of its own,
  // nothing runs beside the message, and `beside` is 0. Where devices differ, `bytes` is the least and `beside` the
  // most of all.
  struct Sent {
    Bytes bytes;
    Seconds beside;
  };
  // The activations that the forward pass of a microbatch sends to the next stage, and the gradients that its backward
  // pass sends to the previous stage. Those beside which the devices of the group send each other messages are left
  // out; so are all where the devices send different numbers of them.
  std::vector<Sent> to_next, to_previous;
  // The bytes of the gradients whose terms this stage and exactly one other stage compute, by the number of the other
  // stage. If the two stages are on different devices, these devices sum the terms once a step. The bytes are those of
  // the device of the group that has least.
  std::map<size_t, Bytes> shared;
  Bytes held;  // activations that a microbatch leaves for the backward pass of this stage
  // The bytes of the activations and gradients that input_grad leaves for weight_grad; 0 if the backward pass is not
  // split.
  Bytes held_for_weights;
  // Lower bounds of the activations and gradients of one microbatch that are live at the same time.
  struct Peaks {
    // The largest set of values that the backward pass must have at the same time: the operands or the results of one
    // op, or the values of one recomputed segment.
    Bytes working_set;
    // The peaks of the forward pass, of the whole backward pass, and of a backward pass without gradients of weights.
    // All of them include `held`.
    Bytes forward, backward, input_grad;
  };
  Peaks peaks;
  // The peaks if `overlap_tensor` cuts products. Only a part of the gathered rows, and of the terms of a sum, need be
  // there at a time then, so these bounds are lower.
  Peaks peaks_in_parts;
};

// The program of one group of devices, whose batch is divided into equal parts: the microbatches of all replicas.
class StageModel {
 public:
  // Lower bounds of the time of an op on one part of the batch. The price of a communication is 0.
  struct Price {
    using Time = std::function<Seconds(const ir::OpCall& call, std::span<const ir::Type> outputs)>;
    Time alone;
    // The price if the op is one kernel with the op that makes one of its operands. It is infinite for an op that is
    // never fused in this way and that no other op joins. The function is empty if kernels are not fused.
    Time joined = {};

    // The lower bound for an op whichever ops make its operands.
    Seconds operator()(const ir::OpCall& call, std::span<const ir::Type> outputs) const {
      return joined ? std::min(alone(call, outputs), joined(call, outputs)) : alone(call, outputs);
    }
  };

  // `split_backward`: for schedules that run weight gradients as tasks of their own; the module is one from
  // with_split_backward. `written`: as StagePrices::written. Throws RefusalError as `pipeline` does.
  StageModel(std::shared_ptr<const ir::Module> module, const ir::OpTable& ops, bool split_backward, int parts,
             const ir::WrittenDevices& written, const Price& price);
  StageModel(StageModel&&) noexcept;
  ~StageModel();

  // The products that read gathered rows, as `overlap_tensor` writes them. The times are means over the devices.
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
    // The time of the computes beside which the message may run:
    //
    //   1. if the message is a sum that `overlap_tensor` can run beside the op that computes its operands, and the
    //      results are read directly after it, the time of that op;
    //   2. if `may_run_beside`, the time of the products, and of the computes between them that no other gather counts;
    //   3. else nothing.
    std::optional<Seconds> product;
    // In case 1, true if that op computes nothing else. Then either it is computed in chunks, or its device waits for
    // the whole sum.
    bool is_exact = false;
    // The lengths of the dimensions along which `overlap_tensor` may cut the product whose results are summed. The list
    // is empty if the operands are no results of a product. If the number of chunks divides none of the lengths,
    // nothing is cut.
    std::vector<int64_t> lengths = {};
    // True if `overlap_tensor` may run the message beside products. The message then sums gradients of x, or the total
    // of several products, or it gathers rows that products read.
    bool may_run_beside              = false;
    std::optional<Gathered> gathered = {};  // of rows, where it is known
    // The time of one chunk of the product, if it is cut into two chunks ([0]), three chunks ([1]), and so on. It is
    // infinite for a number of chunks into which the product is not cut.
    std::vector<Seconds> chunks = {};
    // True if the message is sent once a step. With several microbatches it sums the gradients that they have added up,
    // and no product.
    bool is_once = false;
  };
  const std::vector<Message>& messages() const;

  // Adds prices by which stages are balanced. Returns their number, for `needs`.
  size_t add_prices(const StagePrices& prices);
  // The needs of the stages into which `pipeline` cuts the program. `wanted.prices` equal the prices of number
  // `prices`, except for `op`, which is not used, and for what only limits memory. Throws RefusalError if the
  // program has too few ops to cut.
  const std::vector<StageNeed>& needs(const Pipeline& wanted, size_t prices);

 private:
  class Program;
  std::unique_ptr<Program> program_;
};

// The program with gradients of weights that can run separately from those of activations.
ir::Module with_split_backward(const ir::Module& module, const ir::OpTable& ops);

// Returns true if the schedule of a pipeline splits its backward passes.
bool splits_backward(const Pipeline& wanted);

}  // namespace foreflow::transform
