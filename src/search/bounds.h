// What a point takes at least, before its program is written: admissible, so that leaving out a point whose bound is
// not good enough never loses one that is.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "foreflow/scenario/demand.h"
#include "search/group_shapes.h"

namespace foreflow::search {

// Zero where nothing is known.
struct Bound {
  Seconds time;
  Bytes memory;  // of the device that needs most
};

class Bounds {
 public:
  Bounds(const platform::Platform& platform, int jobs) : shapes_(platform), jobs_(jobs) {}

  // Of scenarios whose strategies are legal, in their order. What they share is worked out once, in `jobs` child
  // processes, and kept for the next call.
  std::vector<Bound> of(const std::vector<const scenario::Scenario*>& scenarios);

 private:
  // Scenarios that differ only in how one replica is cut, ordered and copied; nothing where that cannot be built.
  using Family = std::optional<scenario::Demand>;
  void learn(const std::vector<Json>& sources, const std::string& file);

  GroupShapes shapes_;
  const int jobs_;
  std::set<int64_t> batches_;
  std::map<std::string, Family> families_;  // by the text of their strategy
};

}  // namespace foreflow::search
