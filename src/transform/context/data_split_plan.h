// The plan of split_data: the layout of every value on the ways, decided before the program is written.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/transform/layout.h"
#include "foreflow/transform/split_data.h"

namespace foreflow::transform {

struct DataSplitPlan {
  std::vector<Layout> layouts;      // per value: the layout that it is first available in
  std::vector<Decision> decisions;  // per op
  // Values that are converted to their layout as soon as they are computed: the layout in which their op computes them.
  std::map<size_t, Layout> before;
  std::set<size_t> rings;  // ops whose keys and values travel round a ring; see ring_attention.h

  // The layout in which the op of a value computes it.
  const Layout& made(size_t value) const {
    const auto found = before.find(value);
    return found == before.end() ? layouts[value] : found->second;
  }
};

// The plan for the entry of `module`, which has no calls. Throws RefusalError if the data cannot be split over `ways`,
// or if `split` asks for experts and there are none.
DataSplitPlan plan_data_split(const ir::Module& module, const interpret::Values<interpret::Mixed>& values, int ways,
                              const DataSplit& split);

}  // namespace foreflow::transform
