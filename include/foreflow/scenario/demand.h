// What a strategy cannot do without, known before its program is written: lower bounds of time and memory.
#pragma once

#include <map>
#include <vector>

#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// Messages among the devices of one replica and stage whose time the network decides.
struct Message {
  collective::Kind kind{};
  const collective::AlgorithmDef* algorithm = nullptr;
  int ranks                                 = 0;
  Bytes bytes;  // of one, for one sample
  int64_t count = 0;
};

// Of the first device of a replica without pipeline, which trains or infers `samples` at once.
struct Demand {
  int64_t samples = 0;
  Bytes weights;           // with optimizer state
  Bytes data;              // parameters that are no weights
  Bytes result;            // the largest result that consists of samples
  Bytes activations;       // what is alive at the peak besides the weights
  Bytes gradients;         // that are summed over the replicas
  Seconds once;            // work on sums over microbatches, in every iteration
  Seconds whole;           // work that depends on no sample; a pipeline may leave it out
  std::vector<Message> messages;

  // One microbatch of so many samples.
  struct Part {
    Seconds compute;
    Seconds messages;   // whose time is a formula of the cost model
    Bytes working_set;  // the operands or results of one op, whichever is more
  };
  std::map<int64_t, Part> parts;
};

// For microbatches of every size that divides the batch. `scenario` has dp, pp and microbatches of 1. Computes are priced
// on the fastest of the platform's devices. Throws Error where the batch cannot be cut.
Demand demand_of(const Scenario& scenario, const platform::Platform& platform);

// The least time of such a message among the devices at `places`: with the network to itself.
Seconds alone(const Message& message, Bytes bytes, const std::vector<int>& places, const platform::Platform& platform);

// The least time to all-reduce so many bytes among the devices at `places`, by the scenario's cost model or `alone`.
Seconds least_all_reduce(const Scenario& scenario, Bytes bytes, const std::vector<int>& places,
                         const platform::Platform& platform);

Json to_json(const Demand& demand);
// What to_json wrote.
Demand read_demand(const JsonView& json);

}  // namespace foreflow::scenario
