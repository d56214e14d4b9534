#include "scenario/fit_recompute.h"

#include <algorithm>
#include <cmath>

#include "foreflow/ops/table.h"
#include "foreflow/transform/recompute.h"
#include "foreflow/transform/spread.h"
#include "scenario/job.h"

namespace foreflow::scenario {
namespace {

constexpr int kRounds = 12;  // halves the range of a limit so often

// Balanced cuts would move with what is repeated, and a limit belongs to a stage.
constexpr transform::StagePartition kPartition = transform::StagePartition::uniform;

int stages_of(const Strategy& strategy) { return schedule::stages(strategy.schedule->placement, strategy.schedule_size); }

// The virtual stages of each device.
std::vector<std::vector<int>> stages_by_device(const Strategy& strategy) {
  std::vector<std::vector<int>> stages(static_cast<size_t>(strategy.pp));
  for (int device = 0; device < strategy.pp; ++device) {
    for (int chunk = 0; chunk < strategy.schedule_size.chunks; ++chunk)
      stages[static_cast<size_t>(device)].push_back(
          schedule::stage_of(strategy.schedule->placement, strategy.schedule_size, device, chunk));
  }
  return stages;
}

// Of each stage, the part of the batch that the schedule holds at once: of a device with several stages each holds its share.
std::vector<double> in_flight(const Strategy& strategy) {
  std::vector<double> parts(static_cast<size_t>(stages_of(strategy)));
  const auto stages = stages_by_device(strategy);
  for (int device = 0; device < strategy.pp; ++device) {
    const double live = strategy.schedule->peak_live(strategy.schedule_size, device);
    for (const int stage : stages[static_cast<size_t>(device)]) {
      double& part = parts[static_cast<size_t>(stage)];
      part = std::max(part, live / strategy.schedule_size.chunks / strategy.microbatches);
    }
  }
  return parts;
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
    if (const auto all = std::all_of(everything.begin(), everything.end(), [](bool fit) { return fit; }); !all) refuse_too_little(low);
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
    const Strategy& strategy = scenario_.strategy;
    const auto stages        = stages_by_device(strategy);
    const int replicas       = strategy.dp / transform::replicas_in_group(strategy.cp, strategy.ep);
    const auto group         = static_cast<size_t>(strategy.devices() / replicas / strategy.pp);
    most_                    = {};
    for (size_t d = 0; d < summary.devices.size(); ++d) {
      const report::DeviceSummary& device = summary.devices[d];
      for (const int stage : stages[d / group % stages.size()]) {
        const auto s = static_cast<size_t>(stage);
        fit[s]       = fit[s] && device.fits;
      }
      if (!device.fits && device.peak_memory > most_.peak_memory) most_ = device;
    }
    return fit;
  }

  // Where not even repeating everything leaves room.
  void refuse_too_little(const std::vector<Bytes>& least) {
    fits(least);
    if (most_.peak_memory == Bytes(0)) return;
    throw Error(scenario_.root().where() + ".strategy.recompute",
                "optimal finds no room: with all that can be repeated repeated, " + most_.name + " still needs " +
                    std::to_string(static_cast<int64_t>(std::ceil(most_.peak_memory.value() / 1e9))) + " GB of " +
                    std::to_string(static_cast<int64_t>(most_.capacity.value() / 1e9)) +
                    " GB; use more devices, smaller microbatches, zero or offload");
  }

  const Sequential& sequential_;
  Scenario scenario_;
  const platform::Platform& platform_;
  const std::vector<double> in_flight_;
  report::DeviceSummary most_;  // of those without room at the last trial, what needs most; empty: all have
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
