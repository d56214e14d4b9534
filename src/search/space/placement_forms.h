// Placements that do the same. Two of a strategy do if a permutation of equal nodes, and of the devices of a node where
// they are equal, leads from one to the other. For example, with 8 shards on servers of 8 GPUs around one switch, it
// makes no difference whether the next server has the next stage or the next replica.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "foreflow/scenario/run.h"
#include "search/read_point.h"

namespace foreflow::search {

// Returns true if the devices of a node can change places with each other and nothing differs but names. Requires equal
// nodes.
bool has_equal_devices(const platform::Platform& platform);

class PlacementForms {
 public:
  // Equal for placements that do the same, of scenarios with equal strategies. Nothing where that is not known: where
  // nodes differ, or where the scenario says anything of single devices or links. The platform must live as long.
  std::optional<std::vector<int>> of(const scenario::Scenario& scenario, const platform::Platform& platform);

 private:
  std::map<const platform::Platform*, bool> equal_devices_;  // in each node
};

// Names the predictions of points: points that do the same have one name.
class SamePredictions {
 public:
  // In disturbed worlds devices of the same place are not equal, and every point has a name of its own.
  explicit SamePredictions(bool disturbed) : disturbed_(disturbed) {}

  // `text` is the point, compact.
  std::string key(const ReadPoint& point, const std::string& text);

 private:
  const bool disturbed_;
  PlacementForms forms_;
  std::map<std::vector<int>, size_t> known_;
};

}  // namespace foreflow::search
