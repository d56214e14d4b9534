#include "scenario/distribution/fit_recompute.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "foreflow/base/nth.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/recompute.h"
#include "foreflow/transform/split_data.h"
#include "scenario/blame.h"
#include "scenario/distribution/before_pipeline.h"
#include "scenario/distribution/stages.h"
#include "scenario/job.h"

namespace foreflow::scenario {
namespace {

constexpr int kRounds = 12;  // number of bisection steps for a limit

int stages_of(const Strategy& strategy) { return schedule::stages(strategy.schedule->mapping, strategy.schedule_size); }

// The virtual stages of each device.
std::vector<std::vector<int>> stages_by_device(const Strategy& strategy) {
  std::vector<std::vector<int>> stages(static_cast<size_t>(strategy.pp));
  for (int device = 0; device < strategy.pp; ++device) {
    for (int chunk = 0; chunk < strategy.schedule_size.chunks; ++chunk)
      nth(stages, device)
          .push_back(schedule::stage_of(strategy.schedule->mapping, strategy.schedule_size, device, chunk));
  }
  return stages;
}

// For each virtual stage, the fraction of the batch whose activations the schedule holds at once. The peak of a device
// with several stages is divided equally among them.
std::vector<double> in_flight(const Strategy& strategy) {
  std::vector<double> parts(static_cast<size_t>(stages_of(strategy)));
  const auto stages = stages_by_device(strategy);
  for (int device = 0; device < strategy.pp; ++device) {
    const double live = strategy.schedule->peak_live(strategy.schedule_size, device);
    for (const int stage : nth(stages, device)) {
      double& part = nth(parts, stage);
      part         = std::max(part, live / strategy.schedule_size.chunks / strategy.microbatches);
    }
  }
  return parts;
}

// A scenario with trial limits, and the result of predicting it.
struct Trial {
  Scenario scenario;
  Seconds time{0};
  std::vector<bool> fits        = {};  // per stage: true when it fits on all its devices
  report::DeviceSummary fullest = {};  // of the devices on which it does not fit, the one that needs most

  bool all_fit() const {
    return std::all_of(fits.begin(), fits.end(), [](bool fit) { return fit; });
  }
  bool betters(const Trial& other) const {
    if (!all_fit() && !other.all_fit()) return fullest.peak_memory < other.fullest.peak_memory;
    return all_fit() && (!other.all_fit() || time < other.time);
  }
};

class Fitter {
 public:
  Fitter(const Sequential& sequential, const Scenario& scenario, const platform::Platform& platform)
      : sequential_(sequential),
        scenario_(scenario),
        platform_(platform),
        in_flight_(in_flight(scenario.strategy)),
        engine_(scenario.engine) {
    scenario_.engine = &simulate::engines().get("analytic", "recompute");
  }

  Expected<Scenario> run() {
    auto best = tried(scenario_, {{Bytes(std::numeric_limits<double>::infinity())}});
    if (!best) return best.refusal();
    const bool enough = best->all_fit() && in_flight_.size() == 1;
    if (!enough && transform::has_blocks(sequential_.module)) {
      const auto all = cuttings();
      if (!all) return all.refusal();
      for (const Cutting& cutting : *all) {
        auto trial = fit(cutting);
        if (!trial) return trial.refusal();
        if (trial->betters(*best)) best = std::move(trial);
      }
    }
    if (!enough) best = or_policy(*std::move(best));
    if (!best->all_fit()) return no_room(best->fullest);
    best->scenario.engine = engine_;
    return std::move(best->scenario);
  }

 private:
  // The stages and the number of blocks in each.
  struct Cutting {
    std::vector<int32_t> stage_ends;
    std::vector<size_t> blocks;
    std::vector<int32_t> written_stage_ends = {};  // as in Strategy
    bool operator==(const Cutting&) const   = default;
  };

  // Candidate cuts into stages. All are between blocks, because a limit applies to a stage as a whole. There are cuts
  // that balance the stages when no, half or all blocks are recomputed, and the `uniform` cut, because it is not known
  // yet how much will be recomputed. With `layers` there is one cut.
  Expected<std::vector<Cutting>> cuttings() const {
    if (in_flight_.size() == 1) return std::vector<Cutting>{{{}, {transform::ActivationLimit::kAllBlocks}}};
    Scenario full           = scenario_;
    full.strategy.recompute = {transform::Recompute::Kind::blocks, 1};
    std::vector<double> parts;  // share of blocks that are recomputed
    if (full.strategy.partition == transform::StagePartition::balanced) parts = {0.0, 0.5, 1.0};
    std::vector<Cutting> all;
    for (size_t i = 0; i <= parts.size(); ++i) {
      const bool layers = full.strategy.partition == transform::StagePartition::layers;
      if (i == parts.size() && !layers) full.strategy.partition = transform::StagePartition::uniform;
      const double repeated = i == parts.size() ? 1 : parts[i];
      auto cut              = try_cut(sequential_, full, platform_, repeated);
      // Too few blocks for this cut; another one, or no recomputation, may still work.
      if (!cut && cut.refusal().cause == Cause::stages) continue;
      if (!cut) return cut.refusal();
      Cutting cutting{std::move(cut->stage_ends), std::move(cut->segments), {}};
      cutting.written_stage_ends = written_stage_ends(full, repeated, cutting.blocks);
      if (std::find(all.begin(), all.end(), cutting) == all.end()) all.push_back(std::move(cutting));
    }
    return all;
  }

  // The same cut of the program in which two shards, or ranks, represent all, in which trials take a fraction of the
  // time; empty where none represent them, or the cut has not these numbers of blocks.
  std::vector<int32_t> written_stage_ends(const Scenario& scenario, double repeated,
                                          const std::vector<size_t>& blocks) const {
    const ir::WrittenDevices written = alike_before_pipeline(scenario.strategy);
    if (written.all()) return {};
    auto cut = try_cut(sequential_, scenario, platform_, repeated, written);
    if (!cut || cut->segments != blocks) return {};
    return std::move(cut->stage_ends);
  }

  // The fastest of `best` and the fixed policies that fit. Their stages may end inside of blocks, and where a policy
  // needs less memory they are more even. One that the program does not have is passed over.
  Trial or_policy(Trial best) const {
    using Kind = transform::Recompute::Kind;
    for (const Kind kind : {Kind::activation, Kind::selective, Kind::op, Kind::blocks}) {
      Scenario fixed           = scenario_;
      fixed.strategy.recompute = {kind};
      auto trial               = tried(std::move(fixed), {});
      if (trial && trial->all_fit() && trial->betters(best)) best = std::move(*trial);
    }
    return best;
  }

  // The largest limits with which every stage fits; the smallest ones when none fit.
  Expected<Trial> fit(const Cutting& cutting) const {
    Scenario scenario                    = scenario_;
    scenario.strategy.stage_ends         = cutting.stage_ends;
    scenario.strategy.written_stage_ends = cutting.written_stage_ends;
    std::vector<Bytes> low, high;
    const auto limits = [&](const std::vector<Bytes>& bytes) {
      std::vector<transform::ActivationLimit> all;
      for (size_t s = 0; s < in_flight_.size(); ++s)
        all.push_back({s < bytes.size() ? bytes[s] : Bytes(0), in_flight_[s], cutting.blocks[s]});
      return all;
    };
    const transform::ActivationPlans plans(sequential_.module, limits({}));
    for (const auto& range : plans.ranges()) {
      low.push_back(range.least);
      high.push_back(range.most);
    }
    // Most limits on the way lead to a program that others led to.
    std::map<std::vector<Bytes>, Trial> known;
    const auto trial_of = [&](const std::vector<Bytes>& bytes) -> Expected<Trial> {
      const std::vector<Bytes> memory = plans.memory(bytes);
      if (const auto found = known.find(memory); found != known.end()) return found->second;
      auto trial = tried(scenario, limits(bytes));
      if (trial) known.emplace(memory, *trial);
      return trial;
    };
    auto everything = trial_of(high);
    if (!everything || everything->all_fit()) return everything;
    auto least = trial_of(low);
    if (!least || !least->all_fit()) return least;
    for (size_t s = 0; s < high.size(); ++s) {
      if (everything->fits[s]) low[s] = high[s];
    }
    for (int round = 0; round < kRounds && low != high; ++round) {
      std::vector<Bytes> middle;
      for (size_t s = 0; s < low.size(); ++s) middle.push_back((low[s] + high[s]) / 2);
      const auto trial = trial_of(middle);
      if (!trial) return trial;
      for (size_t s = 0; s < low.size(); ++s) (trial->fits[s] ? low : high)[s] = middle[s];
    }
    return trial_of(low);
  }

  Expected<Trial> tried(Scenario scenario, std::vector<transform::ActivationLimit> limits) const {
    scenario.strategy.recompute.limits = std::move(limits);
    const auto lowered                 = try_lower(scenario, sequential_, platform_);
    if (!lowered) return lowered.refusal();
    const simulate::Run run = simulate_on(scenario, lowered->compact, platform_);
    const report::Summary summary =
        report::summarise({}, run.program, run.timeline, platform_, report::Detail::devices);
    const Strategy& strategy = scenario.strategy;
    const auto stages        = stages_by_device(strategy);
    const int replicas       = strategy.dp / transform::replicas_in_group(strategy.cp, strategy.ep);
    const auto group         = static_cast<size_t>(strategy.devices() / replicas / strategy.pp);
    Trial trial{std::move(scenario), summary.iteration_time, std::vector<bool>(in_flight_.size(), true)};
    for (const report::DeviceSummary& device : summary.devices) {
      if (device.fits) continue;
      for (const stream::DeviceRange& range : device.members) {
        for (int32_t number = range.first; number <= range.last; number += range.step) {
          const size_t one = strategy.has_unequal_stages()
                                 ? static_cast<size_t>(strategy.device_of_rank(
                                       (number - 1) % (strategy.devices_of_replica() * strategy.replicas_sharing()) /
                                       strategy.replicas_sharing()))
                                 : static_cast<size_t>(number - 1) / group % stages.size();
          for (const int stage : stages[one]) nth(trial.fits, stage) = false;
        }
      }
      if (device.peak_memory > trial.fullest.peak_memory) trial.fullest = device;
    }
    return trial;
  }

  // The refusal when the program does not fit even if everything is recomputed.
  Refusal no_room(const report::DeviceSummary& fullest) const {
    return refused(scenario_, Cause::memory, "recompute",
                   "optimal finds no room: with all that can be repeated repeated, " + fullest.name + " still needs " +
                       std::to_string(static_cast<int64_t>(std::ceil(fullest.peak_memory.value() / 1e9))) + " GB of " +
                       std::to_string(static_cast<int64_t>(fullest.capacity.value() / 1e9)) +
                       " GB; use more devices, smaller microbatches, zero or offload");
  }

  const Sequential& sequential_;
  Scenario scenario_;
  const platform::Platform& platform_;
  const std::vector<double> in_flight_;
  const simulate::EngineDef* engine_;
};

}  // namespace

Expected<Scenario> with_fitted_recompute(const Sequential& sequential, const Scenario& scenario,
                                         const platform::Platform& platform) {
  return Fitter(sequential, scenario, platform).run();
}

}  // namespace foreflow::scenario
