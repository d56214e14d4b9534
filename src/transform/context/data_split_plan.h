// The plan of split_data: the layout of every value on the ways, decided before the program is written.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/transform/layout.h"
#include "foreflow/transform/split_data.h"
#include "transform/context/part_slice.h"

namespace foreflow::transform {

struct DataSplitPlan {
  std::vector<Layout> layouts;      // per value: the layout that it is first available in
  std::vector<Decision> decisions;  // per op
  // Values that are converted to their layout as soon as they are computed: the layout in which their op computes them.
  std::map<size_t, Layout> before;
  std::set<size_t> rings;                   // ops whose keys and values travel round a ring; see ring_attention.h
  std::map<size_t, PartSlice> part_slices;  // per op that is written as part_slice.h says
  bool has_experts = false;

  // The layout in which the op of a value computes it.
  const Layout& made(size_t value) const {
    const auto found = before.find(value);
    return found == before.end() ? layouts[value] : found->second;
  }
};

// In a program whose stages are split in different ways, the variants: those of its ops (of a Reshard, the one that
// receives) and of its values. Empty: there is only variant 0, and no Reshard between variants.
struct SplitVariants {
  std::vector<size_t> of_op, of_value;

  bool several() const { return !of_op.empty(); }
};

// The plan for the ops of one variant in the entry of `module`, which has no calls; for other ops and values it says
// nothing. A Reshard takes and brings slices where values are long enough for a split, and whole values otherwise.
// Throws RefusalError if the data cannot be split over `ways`.
DataSplitPlan plan_data_split(const ir::Module& module, const interpret::Values<interpret::Mixed>& values, int ways,
                              const DataSplit& split, const SplitVariants& variants = {}, size_t variant = 0);

}  // namespace foreflow::transform
