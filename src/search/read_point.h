// A point of the space as a scenario.
#pragma once

#include "foreflow/search/cluster.h"

namespace foreflow::search {

struct ReadPoint {
  Json point;
  const Cluster* cluster;                 // on which it runs; valid as long as the question
  Expected<scenario::Scenario> scenario;  // a refusal when the point is not legal

  const platform::Platform& platform() const { return *cluster->platform; }
};

}  // namespace foreflow::search
