#include "transform/pipeline/model/model_cuts.h"

#include "transform/pipeline/cuts/device_cuts.h"
#include "transform/pipeline/cuts/stages.h"

namespace foreflow::transform {

size_t ModelCuts::add_prices(const StagePrices& prices) {
  places_.push_back(cut_places(program_.function, program_.phases, program_.ends, program_.anchors, program_.values,
                               prices, program_.parts));
  common_.emplace_back(places_.back());
  return places_.size() - 1;
}

Cuts ModelCuts::find(const Pipeline& wanted, size_t prices) {
  const schedule::Plan plan{wanted.size, wanted.schedule->mapping, {}};  // the order of tasks cuts nothing
  const auto stages = static_cast<size_t>(plan.stages());
  if (stages == 1) return {};
  const std::vector<CutPlace>& places = places_[prices];
  if (wanted.partition == StagePartition::layers) {
    if (!layers_) layers_ = layer_ends(*program_.module, places, wanted.layers.layers);
    return layer_cuts(places, *layers_, wanted);
  }
  const StageLimits limits = limits_of(wanted, plan);
  const bool uniform       = wanted.partition == StagePartition::uniform;
  const auto find          = [&](const StageLimits& of) {
    return wanted.size.chunks == 1 ? balanced(prices, of) : over_devices(prices, of, wanted);
  };
  const Cuts cuts = uniform ? common_[prices].uniform(limits.shares) : beside_messages(places, limits, find);
  if (cuts.size() + 1 < stages) throw too_few_ops(*program_.module, program_.phases, stages);
  return cuts;
}

// Without a limit of memory the cuts are the same for many schedules.
const Cuts& ModelCuts::balanced(size_t prices, const StageLimits& limits) {
  CommonCuts& common = common_[prices];
  const Cuts& cuts   = common.balanced(without_memory(limits));
  return !limits.has_memory() || fit(places_[prices], cuts, limits) ? cuts : common.balanced(limits);
}

const Cuts& ModelCuts::over_devices(size_t prices, const StageLimits& limits, const Pipeline& wanted) {
  const auto [found, fresh] =
      over_devices_.try_emplace({prices, limits, wanted.schedule, wanted.size.devices, wanted.size.microbatches});
  if (fresh) found->second = balanced_over_devices(common_[prices], limits, *wanted.schedule, wanted.size);
  return found->second;
}

}  // namespace foreflow::transform
