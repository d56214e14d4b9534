// One collective with the network to itself.
#pragma once

#include "foreflow/simulate/simulate.h"
#include "foreflow/stream/task.h"

namespace foreflow::simulate {

struct Alone {
  stream::Placed placed;
  Seconds time;
  collective::Cost closed_form;  // on the links of the platform
  std::vector<Bytes> links;      // what each of the platform's links carried
};

// `places`: platform device of each rank, two at least. Throws Error when the algorithm does not support the group, or
// two ranks that must talk have no route.
Alone run_alone(const platform::Platform& platform, const collective::AlgorithmDef& algorithm, collective::Kind kind,
                Bytes bytes, const std::vector<int>& places, const EngineDef& engine);

}  // namespace foreflow::simulate
