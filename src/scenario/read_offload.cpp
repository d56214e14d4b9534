#include "scenario/offload.h"

namespace foreflow::scenario {

bool read_offload(const JsonView& strategy, const Workload& workload) {
  const bool offload = strategy.bool_or("offload", false);
  if (offload && workload.mode == workload::Mode::inference)
    strategy.at("offload").fail("true needs a backward pass, which inference does not have; use false");
  return offload;
}

}  // namespace foreflow::scenario
