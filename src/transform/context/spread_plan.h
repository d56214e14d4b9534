// How the values of a program lie on the ways that share each step's data, decided before anything is written.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/transform/layout.h"
#include "foreflow/transform/spread.h"

namespace foreflow::transform {

struct SpreadPlan {
  std::vector<Layout> layouts;      // per value, as it is made
  std::vector<Decision> decisions;  // per op
  std::map<size_t, Layout> before;  // per value that is turned into its layout at once: as its op makes it
  std::set<size_t> rings;           // ops whose keys and values go round a ring; see ring_attention.h

  const Layout& made(size_t value) const {
    const auto found = before.find(value);
    return found == before.end() ? layouts[value] : found->second;
  }
};

// Plans for a function without calls. Throws Error where no data can be split in so many parts, or no experts are
// found.
SpreadPlan plan_spread(const ir::Module& module, const interpret::Values<interpret::Mixed>& values, int ways,
                       const Spread& spread);

}  // namespace foreflow::transform
