// The load of equal communications together, on one link of each class.
#pragma once

#include <map>
#include <vector>

#include "simulate/fold/numbering.h"
#include "simulate/footprint/footprint.h"

namespace foreflow::simulate {

// Adds up what the equal communications ask of the first link of each colour.
class Merger {
 public:
  Merger(const Footprints& footprints, const platform::Platform& platform, const Numbering& links)
      : footprints_(footprints), platform_(platform), links_(links) {}

  // The footprint of all of `parts`, which are footprints, as one of `result`.
  int32_t merge(const std::vector<int32_t>& parts, int32_t example, Footprints& result);

  // Returns the part of a load that remains.
  Load kept(const Load& load) const;

 private:
  Load summed(const std::vector<int32_t>& parts, size_t number) const;

  const Footprints& footprints_;
  const platform::Platform& platform_;
  const Numbering& links_;
  std::map<std::vector<int32_t>, int32_t> known_;
};

}  // namespace foreflow::simulate
