// A point of the space as a scenario.
#pragma once

#include "foreflow/search/cluster.h"

namespace foreflow::search {

struct ReadPoint {
  Json point;
  const Cluster* cluster;                 // on which it runs; valid as long as the question
  Expected<scenario::Scenario> scenario;  // a refusal when the point is not legal

  const platform::Platform& platform() const { return *cluster->platform; }
  // Returns true if devices and links change while the point runs: its scenario has disturbances, or the file of its
  // platform has profiles. Both may make them faster than they are said to be, so no bound of time holds.
  bool is_disturbed() const { return scenario->disturbances || !platform().declared().profiles.empty(); }
  // The samples of one iteration, 1 or more. Requires: the point is legal.
  int64_t samples() const {
    const int64_t batch = scenario->strategy.global_batch;
    return batch > 0 ? batch : cluster->samples_of_file;
  }
};

}  // namespace foreflow::search
