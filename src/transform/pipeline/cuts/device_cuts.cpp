#include "transform/pipeline/cuts/device_cuts.h"

#include <algorithm>

#include "foreflow/base/nth.h"
#include "transform/pipeline/cuts/device_relief.h"
#include "transform/pipeline/cuts/schedule_time.h"

namespace foreflow::transform {
namespace {

constexpr double kAboutAsFast = 0.01;

schedule::Costs costs_between(std::span<const CutPlace> places, const Cuts& cuts, const StageLimits& limits) {
  const std::vector<double> seconds = seconds_between(places, cuts, limits);
  const std::vector<double> forward = forward_parts_between(places, cuts, limits);
  schedule::Costs costs;
  for (size_t stage = 0; stage < seconds.size(); ++stage) {
    const double backward = seconds[stage] * (1 - forward[stage]);
    costs.stages.push_back({seconds[stage] * forward[stage], backward / 2, backward / 2});
  }
  return costs;
}

}  // namespace

double seconds_of_schedule(std::span<const CutPlace> places, const Cuts& cuts, const StageLimits& limits,
                           const schedule::ScheduleDef& schedule, const schedule::Size& size) {
  return ScheduleTime(schedule, size).of(costs_between(places, cuts, limits));
}

Cuts balanced_over_devices(CommonCuts& common, const StageLimits& limits, const schedule::ScheduleDef& schedule,
                           const schedule::Size& size) {
  const std::span<const CutPlace> places = common.places();
  const size_t stages                    = limits.shares.size();
  const auto fits = [&](const Cuts& cuts) { return devices_fit(places, cuts, limits, schedule.mapping, size); };
  std::vector<Cuts> all{common.balanced(without_memory(limits))};
  if (all.front().size() + 1 < stages) return all.front();
  const auto add = [&](Cuts cuts) {
    if (cuts.size() + 1 == stages && std::find(all.begin(), all.end(), cuts) == all.end())
      all.push_back(std::move(cuts));
  };
  add(common.uniform(limits.shares_of_flop()));
  for (size_t i = 0, starts = all.size(); i < starts; ++i) {
    const Cuts& moved = common.relieved(all[i], limits, schedule.mapping, size);
    add(fits(moved) || !fits(all[i]) ? moved : relieved(places, all[i], limits, schedule.mapping, size));
  }
  if (std::none_of(all.begin(), all.end(), fits)) add(common.balanced(limits));
  if (std::any_of(all.begin(), all.end(), fits)) std::erase_if(all, [&](const Cuts& cuts) { return !fits(cuts); });
  if (all.size() == 1) return all.front();
  std::vector<double> seconds;
  const ScheduleTime& time = common.time(schedule, size);
  for (const Cuts& cuts : all) seconds.push_back(time.of(costs_between(places, cuts, limits)));
  // Fewer bytes cross the first of the cuts that are about as fast.
  const double most = *std::min_element(seconds.begin(), seconds.end()) * (1 + kAboutAsFast);
  const auto best   = std::find_if(seconds.begin(), seconds.end(), [&](double one) { return one <= most; });
  return nth(all, best - seconds.begin());
}

}  // namespace foreflow::transform
