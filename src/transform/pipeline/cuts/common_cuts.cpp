#include "transform/pipeline/cuts/common_cuts.h"

#include "transform/pipeline/cuts/device_relief.h"

namespace foreflow::transform {

const Cuts& CommonCuts::balanced(const StageLimits& limits) {
  const auto [found, fresh] = balanced_.try_emplace(limits);
  if (fresh) found->second = find_balanced(limits);
  return found->second;
}

Cuts CommonCuts::find_balanced(const StageLimits& limits) {
  const size_t stages     = limits.shares.size();
  const bool is_limited   = limits.has_memory();
  const Cuts& uniform     = this->uniform(limits.shares_of_flop());
  const bool uniform_fits = uniform.size() + 1 == stages && (!is_limited || fit(places_, uniform, limits));
  Cuts quiet              = balanced_within_memory(this->quiet(stages), limits);
  const bool is_found     = quiet.size() + 1 == stages;
  if (is_found && (!uniform_fits || slowest_stage(places_, uniform, limits) >= slowest_stage(places_, quiet, limits)))
    return quiet;
  if (is_limited && !is_found && !uniform_fits) return balanced(without_memory(limits));
  return balanced_cuts(places_, limits);
}

const std::vector<CutPlace>& CommonCuts::quiet(size_t stages) {
  const auto [found, fresh] = quiet_.try_emplace(stages);
  if (fresh) found->second = quiet_places(places_, stages);
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

const ScheduleTime& CommonCuts::time(const schedule::ScheduleDef& schedule, const schedule::Size& size) {
  if (!timed_ || timed_->schedule != &schedule || timed_->size != size)
    timed_ = Timed{&schedule, size, ScheduleTime(schedule, size)};
  return timed_->time;
}

}  // namespace foreflow::transform
