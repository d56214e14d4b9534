#include "transform/replica/held_values.h"

namespace foreflow::transform {

using ir::ValueId;

HeldValues::HeldValues(const ExchangePlan& plan, const DataParallel& how) : plan_(plan) {
  const int zero = how.zero;
  for (const TrainedWeight& weight : plan.weights) {
    const auto ranks = static_cast<int>(how.all_ranks(weight.ranks));
    const OneReplica::Held held{Layout::flat(), ranks, static_cast<int>(weight.rank)};
    held_[weight.weight] = held;
    for (const ValueId id : weight.states) held_[id] = held;
    if (zero == 0) continue;
    for (const size_t copy : weight.copies) {
      const std::vector<ValueId>& results = plan.weights[copy].results;
      for (size_t i = 0; i < results.size(); ++i) updates_[results[i]] = {weight.copies.front(), i};
    }
    flat_.insert(weight.states.begin(), weight.states.end());
    flat_.insert(weight.results.begin() + (zero == 3 ? 0 : 1), weight.results.end());
    if (zero == 3) flat_.insert(weight.weight);
  }
}

OneReplica::Held HeldValues::of_parameter(ValueId id, Layout layout) const {
  const auto found = held_.find(id);
  OneReplica::Held held;
  if (found != held_.end()) held = found->second;
  held.layout = is_flat(id) ? Layout::flat() : layout;
  return held;
}

std::vector<ValueId> HeldValues::rows_of(ValueId id) const {
  const auto& [first, number] = updates_.at(id);
  std::vector<ValueId> rows;
  for (const size_t copy : plan_.weights[first].copies) rows.push_back(plan_.weights[copy].results[number]);
  return rows;
}

}  // namespace foreflow::transform
