// Placement policies: the order in which the ranks of a job take the devices of a platform. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "foreflow/base/registry.h"
#include "foreflow/platform/platform.h"

namespace foreflow::platform {

struct PlacementDef {
  std::string_view name;  // "packed", "spread", "random", "explicit"
  std::string_view doc;
  // Returns `candidates`, distinct indices into platform.devices(), in the order in which ranks take them. A seed gives
  // the same order on every machine.
  std::vector<int> (*order)(const Platform& platform, std::vector<int> candidates, uint64_t seed);
  bool uses_seed = false;  // otherwise the order is the same with every seed
  bool is_listed = false;  // the order is that in which a scenario lists its devices, so it has to list some
};

const Registry<PlacementDef>& placements();

}  // namespace foreflow::platform
