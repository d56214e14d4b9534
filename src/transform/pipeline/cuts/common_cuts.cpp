#include "transform/pipeline/cuts/common_cuts.h"

#include "transform/pipeline/cuts/device_relief.h"

namespace foreflow::transform {

const Cuts& CommonCuts::balanced(const StageLimits& limits) {
  const auto [found, fresh] = balanced_.try_emplace(limits);
  if (fresh) found->second = balanced_at_quiet_places(places_, limits);
  return found->second;
}

const Cuts& CommonCuts::uniform(const std::vector<double>& shares) {
  const auto [found, fresh] = uniform_.try_emplace(shares);
  if (fresh) found->second = uniform_cuts(places_, shares);
  return found->second;
}

const Cuts& CommonCuts::relieved(const Cuts& from, const StageLimits& limits, schedule::StageMapping mapping,
                                 const schedule::Size& size) {
  const StageLimits of_time = without_memory(limits);
  const auto [found, fresh] = relieved_.try_emplace({from, of_time, mapping, size.devices});
  if (fresh) found->second = transform::relieved(places_, from, of_time, mapping, size);
  return found->second;
}

}  // namespace foreflow::transform
