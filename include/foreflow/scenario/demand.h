// What a strategy cannot do without, known before its program is written: lower bounds of time and memory.
#pragma once

#include <map>
#include <vector>

#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// Messages among devices of one stage whose time the network decides.
struct Message {
  collective::Kind kind{};
  const collective::AlgorithmDef* algorithm = nullptr;
  std::vector<int> ranks;  // the first device is 0
  Bytes bytes;             // of one
  int64_t count = 0;
};

// Of the first device of a replica without pipeline, which trains or infers `samples` at once. Replicas that share
// experts count as one, in which each has so many samples.
struct Demand {
  int64_t samples = 0;
  Bytes weights;              // with optimizer state
  Bytes data;                 // parameters that are no weights
  Bytes result;               // the largest result that consists of samples
  Bytes activations;          // what is alive at the peak besides the weights
  Bytes gradients;            // that are summed over the replicas
  Seconds once;               // work on sums over microbatches, in every iteration
  Seconds whole;              // work that depends on no sample; pipelines and replicas may leave it out
  std::vector<Message> sums;  // of sums over microbatches, those among the same devices as one

  // One microbatch of so many samples.
  struct Part {
    Seconds compute;
    Seconds messages;   // whose time is a formula of the cost model
    Bytes working_set;  // the operands or results of one op, whichever is more
    std::vector<Message> network;
  };
  std::map<int64_t, Part> parts;
};

// For microbatches of every size that divides the batch. `scenario` has pp and microbatches of 1, and no more replicas
// than share experts. Computes are priced on the fastest of the platform's devices. Throws Error where the batch cannot
// be cut.
Demand demand_of(const Scenario& scenario, const platform::Platform& platform);

// The least time of one such message when its ranks are the devices at `places`: with the network to itself.
Seconds alone(const Message& message, const std::vector<int>& places, const platform::Platform& platform);

// The least time to all-reduce so many bytes among these ranks of the scenario, which are the devices at `places`, by
// its cost model or `alone`.
Seconds least_all_reduce(const Scenario& scenario, Bytes bytes, const std::vector<int>& ranks,
                         const std::vector<int>& places, const platform::Platform& platform);

Json to_json(const Demand& demand);
// What to_json wrote.
Demand read_demand(const JsonView& json);

}  // namespace foreflow::scenario
