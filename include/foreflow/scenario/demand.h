// Resource demand of one replica: what any pipeline or data parallel version of it needs at least. Searches derive
// lower bounds of time and memory from it without building the distributed program.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "foreflow/scenario/run.h"
#include "foreflow/simulate/alone.h"

namespace foreflow::scenario {

// Equal messages among the devices of one stage whose time depends on where these are, rather than on a formula: it is
// simulated on the network, or was measured on as many nodes.
struct Message {
  collective::Kind kind{};
  const collective::AlgorithmDef* algorithm = nullptr;
  std::vector<int> ranks;  // members in rank order; the first device of the replica is 0
  Bytes bytes;             // of one message, as collective::Kind defines it
  int64_t count = 0;       // messages in the part of the iteration that this entry describes
  // As stream::Communication::measured.
  std::vector<stream::TimeOnNodes> measured = {};
};

// Resource demand of the first device of one unpipelined replica that processes `samples` samples as a single
// microbatch. Replicas that share experts count as one replica, and `samples` is then the number of each of them.
//
// Example: gpt with tp = 2 at a batch of 8. `weights` counts the shards that the first device holds, `parts` has an
// entry for microbatches of 1, 2, 4 and 8 samples, and a pipeline of K microbatches of m samples needs at least K *
// parts[m].compute / pp seconds of its busiest device.
struct Demand {
  int64_t samples = 0;
  Bytes weights;      // of the model, with optimizer state
  Bytes data;         // parameters that are not weights: inputs and labels
  Bytes result;       // the largest result with a batch dimension
  Bytes activations;  // live memory at the peak, without the weights; 0 where `held` is known
  // The part of `weights` that is optimizer state, if the model is trained.
  Bytes states;
  Bytes held;  // activations that the forward pass leaves for the backward pass
  // As transform::StageNeed::Peaks::working_set.
  Bytes backward_set;
  Bytes gradients;  // that data parallelism sums over the replicas
  Seconds once;     // compute once per iteration on values summed over its microbatches (the optimizer)
  Seconds whole;    // compute that depends on no sample; pipelines and replicas may avoid it
  // Messages once per iteration, on values summed over its microbatches; one entry for each set of devices.
  std::vector<Message> sums;
  // The sums over ranks that hold copies of weights, which one sum over these ranks of all replicas may replace
  // (Strategy::sums_once): what they sum, their time by formulas of the cost model, and their messages.
  struct OfCopies {
    Bytes gradients;
    Seconds time;
    std::vector<Message> sums;
  };
  OfCopies of_copies;

  // The demand of one microbatch. The key of `parts` is its number of samples.
  struct Part {
    Seconds compute;
    Seconds messages;              // communication time that is a formula of the cost model
    Bytes working_set;             // the largest operands or results of a single op
    std::vector<Message> network;  // communication that has to be simulated
  };
  std::map<int64_t, Part> parts;
};

// The demand of `scenario`, with a part for every microbatch size that divides the batch. Computes are priced on the
// fastest device of the platform, so the result is a lower bound for every placement.
// Requires:
//   1. pp = 1 and microbatches = 1;
//   2. dp is the number of replicas that share experts (1 for a dense model).
// Throws Error where the batch cannot be divided over the replicas.
Demand demand_of(const Scenario& scenario, const platform::Platform& platform);
// The same where the program of the scenario's workload is known.
Demand demand_of(const Scenario& scenario, const Sequential& sequential, const platform::Platform& platform);

// Lower bound of the time of one such message among the devices of a group: what was measured there, or its time with
// the network to itself.
Seconds alone(const Message& message, const simulate::NumberedGroup& group, simulate::TimesAlone& times);

// A collective among `ranks` of the scenario; nothing if the cost model has a formula for collectives, or measured
// some.
std::optional<Message> network_message(const Scenario& scenario, collective::Kind kind, Bytes bytes,
                                       const std::vector<int>& ranks);

// Lower bound of the time to all-reduce `bytes` among `ranks` of the scenario, which are the devices of a group in its
// order: by the formula of its cost model if it has one, else by `alone`.
Seconds least_all_reduce(const Scenario& scenario, Bytes bytes, const std::vector<int>& ranks,
                         const simulate::NumberedGroup& group, simulate::TimesAlone& times);

Json to_json(const Demand& demand);
// Reads what to_json wrote. Throws Error at members that are missing or of another kind.
Demand read_demand(const JsonView& json);

}  // namespace foreflow::scenario
