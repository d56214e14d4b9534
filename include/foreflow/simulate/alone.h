// Simulates a single collective that has the network to itself.
#pragma once

#include "foreflow/simulate/simulate.h"
#include "foreflow/stream/task.h"

namespace foreflow::simulate {

struct Alone {
  stream::Placed placed;
  Seconds time;
  collective::Cost closed_form;  // the formula, on the links of the platform
  std::vector<Bytes> links;      // bytes carried by each of the platform's links
};

// Rank r is the platform device places[r]; at least two ranks. Throws Error when the algorithm does not support the
// group, or when two ranks that exchange messages have no route.
Alone run_alone(const platform::Platform& platform, const collective::AlgorithmDef& algorithm, collective::Kind kind,
                Bytes bytes, const std::vector<int>& places, const EngineDef& engine);

}  // namespace foreflow::simulate
