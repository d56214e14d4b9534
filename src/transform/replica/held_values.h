// How the ranks of all replicas hold the parameters and results of updates.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "transform/replica/exchange_plan.h"

namespace foreflow::transform {

class HeldValues {
 public:
  // `plan` must live as long.
  HeldValues(const ExchangePlan& plan, const DataParallel& how);

  // Returns true if each rank of each replica has its row of the value.
  bool is_flat(ir::ValueId id) const { return flat_.contains(id); }
  // Returns the part that each rank holds of a parameter. The parameter is laid out over the replicas as `layout` says
  // unless it is flat.
  OneReplica::Held of_parameter(ir::ValueId id, Layout layout) const;
  // Returns the values that the ranks of a replica, in their order, have in the place of a flat result.
  std::vector<ir::ValueId> rows_of(ir::ValueId id) const;

 private:
  const ExchangePlan& plan_;
  std::set<ir::ValueId> flat_;                                // parameters and results
  std::map<ir::ValueId, OneReplica::Held> held_;              // parameters of updates, as if they were flat
  std::map<ir::ValueId, std::pair<size_t, size_t>> updates_;  // by result: the weight of rank 0, and which result it is
};

}  // namespace foreflow::transform
