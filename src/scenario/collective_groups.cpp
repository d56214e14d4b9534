#include "scenario/collective_groups.h"

namespace foreflow::scenario {

// As programs number their ranks: see places.cpp.
const std::vector<CollectiveGroup>& collective_groups() {
  static const std::vector<CollectiveGroup> rows = {
      {"tp",
       [](const Strategy& s) {
         return lower::GroupAlgorithms{1, s.tp};
       }},
      {"cp",
       [](const Strategy& s) {
         return lower::GroupAlgorithms{s.tp, s.cp};
       }},
      {"ep",
       [](const Strategy& s) {
         return lower::GroupAlgorithms{s.tp, s.cp * s.replicas_sharing()};
       }},
      {"pp",
       [](const Strategy& s) {
         return lower::GroupAlgorithms{s.tp * s.cp * s.replicas_sharing(), s.pp};
       }},
      {"dp",
       [](const Strategy& s) {
         const int sharing = s.replicas_sharing();
         return lower::GroupAlgorithms{s.devices_of_replica() * sharing, s.dp / sharing};
       }},
  };
  return rows;
}

}  // namespace foreflow::scenario
