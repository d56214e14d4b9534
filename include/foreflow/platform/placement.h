// Placements: in which order the ranks of a job take the devices of a machine. Pure functions of the machine.
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
  // `candidates`, each once an index into platform.devices(), in the order in which ranks take them. Only a random
  // placement heeds `seed`; the same seed gives the same order everywhere.
  std::vector<int> (*order)(const Platform& platform, std::vector<int> candidates, uint64_t seed);
};

const Registry<PlacementDef>& placements();

}  // namespace foreflow::platform
