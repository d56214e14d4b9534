#include "simulate/footprint/load_table.h"

#include <algorithm>
#include <limits>

#include "foreflow/base/nth.h"

namespace foreflow::simulate {
namespace {

bool is_same_load(const Load& a, const Load& b) {
  return a.unit == b.unit && a.limit == b.limit && a.limits == b.limits &&
         std::equal(
             a.crossings.begin(), a.crossings.end(), b.crossings.begin(), b.crossings.end(),
             [](const auto& one, const auto& other) { return one.link == other.link && one.weight == other.weight; });
}

}  // namespace

double Load::limit_at(double now) const {
  return value_of(limits, now, limit > BytesPerSecond(0) ? limit.value() : std::numeric_limits<double>::infinity());
}

int32_t LoadTable::number_of(Load load) {
  Colour hash = mix(load.crossings.size(), load.unit);
  for (const auto& [link, weight] : load.crossings) hash = mix(mix(hash, number(link)), weight);
  const auto [first, last] = numbers_.equal_range(hash);
  const auto found =
      std::find_if(first, last, [&](const auto& entry) { return is_same_load(nth(loads_, entry.second), load); });
  if (found != last) return found->second;
  loads_.push_back(std::move(load));
  return numbers_.emplace(hash, static_cast<int32_t>(loads_.size() - 1))->second;
}

}  // namespace foreflow::simulate
