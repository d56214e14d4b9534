#include "scenario/fit_recompute.h"

#include <algorithm>

#include "foreflow/ops/table.h"
#include "foreflow/transform/recompute.h"
#include "scenario/job.h"

namespace foreflow::scenario {
namespace {

constexpr int kRounds = 12;  // halves the range of a limit so often

// Balanced cuts would move with what is repeated, and a limit belongs to a stage.
constexpr transform::StagePartition kPartition = transform::StagePartition::uniform;

// As many microbatches as 1F1B holds; it only weighs what is kept against what is repeated at one time.
std::vector<double> in_flight(const Strategy& strategy) {
  std::vector<double> counts;
  for (int stage = 0; stage < strategy.pp; ++stage)
    counts.push_back(static_cast<double>(std::min(strategy.microbatches, strategy.pp - stage)) / strategy.microbatches);
  return counts;
}

class Fitter {
 public:
  Fitter(const Sequential& sequential, const Scenario& scenario, const platform::Platform& platform)
      : sequential_(sequential), scenario_(scenario), platform_(platform), in_flight_(in_flight(scenario.strategy)) {
    scenario_.strategy.partition        = kPartition;
    scenario_.engine                   = &simulate::engines().get("analytic", "recompute");
    scenario_.strategy.recompute.limits = std::vector<transform::ActivationLimit>(in_flight_.size());
  }

  std::vector<transform::ActivationLimit> run() {
    const auto ranges = transform::activation_ranges(sequential_.module, in_flight_);
    std::vector<Bytes> low, high;
    for (const auto& range : ranges) {
      low.push_back(range.least);
      high.push_back(range.most);
    }
    const std::vector<bool> everything = fits(high);
    for (size_t s = 0; s < high.size(); ++s) {
      if (everything[s]) low[s] = high[s];
    }
    for (int round = 0; round < kRounds && low != high; ++round) {
      std::vector<Bytes> middle;
      for (size_t s = 0; s < low.size(); ++s) middle.push_back((low[s] + high[s]) / 2);
      const std::vector<bool> fit = fits(middle);
      for (size_t s = 0; s < low.size(); ++s) (fit[s] ? low : high)[s] = middle[s];
    }
    return limits(low);
  }

 private:
  std::vector<transform::ActivationLimit> limits(const std::vector<Bytes>& bytes) const {
    std::vector<transform::ActivationLimit> all;
    for (size_t s = 0; s < bytes.size(); ++s) all.push_back({bytes[s], in_flight_[s]});
    return all;
  }

  // Per stage: whether all its devices have room.
  std::vector<bool> fits(const std::vector<Bytes>& bytes) {
    scenario_.strategy.recompute.limits = limits(bytes);
    const lower::Lowered lowered        = lower_scenario(scenario_, sequential_, platform_);
    stream::Timeline timeline           = simulate_on(scenario_, lowered.program, platform_);
    const report::Summary summary       = report::summarise({}, lowered.program, timeline, platform_);
    std::vector<bool> fit(bytes.size(), true);
    const auto group = static_cast<size_t>(scenario_.strategy.tp), replica = group * bytes.size();
    for (size_t d = 0; d < summary.devices.size(); ++d) {
      const size_t stage = d % replica / group;
      fit[stage]         = fit[stage] && summary.devices[d].fits;
    }
    return fit;
  }

  const Sequential& sequential_;
  Scenario scenario_;
  const platform::Platform& platform_;
  const std::vector<double> in_flight_;
};

}  // namespace

Scenario with_fitted_recompute(const Sequential& sequential, const Scenario& scenario, const platform::Platform& platform) {
  Scenario fitted = scenario;
  if (!needs_fit(scenario)) return fitted;
  fitted.strategy.partition        = kPartition;
  fitted.strategy.recompute.limits = Fitter(sequential, scenario, platform).run();
  return fitted;
}

bool needs_fit(const Scenario& scenario) {
  const transform::Recompute& how = scenario.strategy.recompute;
  return how.kind == transform::Recompute::Kind::optimal && how.limits.empty();
}

}  // namespace foreflow::scenario
