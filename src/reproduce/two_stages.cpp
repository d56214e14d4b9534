#include "reproduce/two_stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "foreflow/base/nth.h"
#include "foreflow/lower/reshard.h"
#include "foreflow/schedule/play.h"
#include "foreflow/simulate/simulate.h"

namespace foreflow::reproduce {
namespace {

using schedule::Phase;

// A task, or the transfer of what a task made, in the order of a pipeline whose transfers take no time. Instances are
// numbered in this order, so none can wait for a later one.
struct Step {
  double time;
  bool transfers;
  int stage;
  bool forward;
  int microbatch;
  double length;  // of a task
};

std::vector<Step> steps_of(const TwoStages& pipeline) {
  const auto& row = schedule::schedules().get(pipeline.schedule, "two stages");
  const auto plan = schedule::plan(row, schedule::checked_size(row, 2, pipeline.microbatches, {}, "two stages"));
  schedule::Costs costs;
  for (size_t stage = 0; stage < 2; ++stage) {
    const double half = pipeline.backward[stage].value() / 2;
    costs.stages.push_back({pipeline.forward[stage].value(), half, half});
  }
  const schedule::Slots slots = schedule::play(plan, costs);
  std::vector<Step> steps;
  for (int stage = 0; stage < 2; ++stage) {
    for (const schedule::Slot& slot : nth(slots, stage)) {
      const bool forward = slot.task.phase == Phase::forward;
      steps.push_back({slot.start, false, stage, forward, slot.task.microbatch, slot.end - slot.start});
      if (forward == (stage == 0)) steps.push_back({slot.end, true, stage, forward, slot.task.microbatch, 0});
    }
  }
  std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
    return std::tuple(a.time, !a.transfers, a.microbatch) < std::tuple(b.time, !b.transfers, b.microbatch);
  });
  return steps;
}

class TwoStageProgram {
 public:
  explicit TwoStageProgram(const TwoStages& pipeline) : pipeline_(pipeline) {
    program_.memory_effects.push_back({Bytes(0), Bytes(0)});
    for (const auto& devices : pipeline.devices) {
      for (const int device : devices) {
        number_of_.emplace(device, static_cast<int>(program_.devices.size()));
        program_.devices.push_back({device, device, Bytes(0)});
        stream_of(device, "");
      }
    }
    for (const bool forward : {true, false}) {
      for (size_t stage = 0; stage < 2; ++stage) {
        const Seconds length = forward ? pipeline.forward[stage] : pipeline.backward[stage];
        program_.computes.push_back({forward ? "forward" : "backward", length, Flops(0), {}});
      }
    }
  }

  stream::Program build() {
    for (const Step& step : steps_of(pipeline_)) step.transfers ? transfer(step) : compute(step);
    return std::move(program_);
  }

 private:
  bool overlaps() const { return pipeline_.overlap == Overlap::full; }

  int32_t stream_of(int device, const std::string& suffix) {
    const auto [known, added] =
        streams_.emplace(std::pair(device, suffix), static_cast<int32_t>(program_.streams.size()));
    if (added) program_.streams.push_back({fmt::format("D{}{}", device, suffix), number_of_.at(device), {}});
    return known->second;
  }

  // The stream of one transfer on a device. Its events stand apart from those of other transfers, so that a compute
  // that waits for it waits for no later one.
  std::string suffix(bool forward, int microbatch) const {
    return overlaps() ? fmt::format(".{}{}", forward ? "act" : "grad", microbatch) : "";
  }

  void add(const stream::Communication& what, const std::vector<int32_t>& members) {
    const auto key            = std::tuple(what.kind, what.bytes.value(), what.algorithm, what.fixed.has_value());
    const auto [known, added] = communications_.emplace(key, static_cast<int32_t>(communications_.size()));
    if (added) program_.communications.push_back(what);
    const auto instance = static_cast<int32_t>(program_.instances.size());
    for (const int32_t member : members) nth(program_.streams, member).items.push_back({known->second, instance, 0});
    program_.instances.push_back({known->second, members});
  }

  void hand_over(int device, const std::string& from, const std::string& to) {
    const auto kind = collective::Kind::send;
    add({"ready", kind, &collective::default_algorithm(kind), Bytes(0), Seconds(0)},
        {stream_of(device, from), stream_of(device, to)});
  }

  void compute(const Step& step) {
    const auto stage = static_cast<size_t>(step.stage);
    for (const int device : pipeline_.devices[stage]) {
      const bool waits = step.forward != (step.stage == 0);
      if (waits && overlaps()) hand_over(device, suffix(step.forward, step.microbatch), "");
      const auto event = static_cast<int32_t>((step.forward ? 0 : 2) + stage);
      nth(program_.streams, stream_of(device, "")).items.push_back({event, -1, 0});
    }
  }

  // The sending devices have computed; every device has ended the transfer before this one in the same direction.
  void transfer(const Step& step) {
    const std::string own = suffix(step.forward, step.microbatch);
    if (overlaps()) {
      for (const int device : nth(pipeline_.devices, step.stage)) hand_over(device, "", own);
      std::string& before = before_[step.forward ? 0 : 1];
      for (const auto& devices : pipeline_.devices) {
        for (const int device : devices) {
          if (!before.empty()) hand_over(device, before, own);
        }
      }
      before = own;
    }
    for (const auto& event : lower::events_of(step.forward ? pipeline_.activations : pipeline_.gradients)) {
      std::vector<int32_t> members;
      for (const int device : event.devices) members.push_back(stream_of(device, own));
      add(event.what, members);
    }
  }

  const TwoStages& pipeline_;
  stream::Program program_;
  std::map<int, int> number_of_;  // platform device -> index into Program::devices
  std::map<std::pair<int, std::string>, int32_t> streams_;
  std::map<std::tuple<collective::Kind, double, const collective::AlgorithmDef*, bool>, int32_t> communications_;
  std::array<std::string, 2> before_;  // the last transfer in each direction
};

}  // namespace

Seconds time_of(const TwoStages& pipeline, const platform::Platform& platform) {
  const auto& engine = simulate::engines().get("simgrid", "two stages");
  return engine.run(TwoStageProgram(pipeline).build(), platform).makespan;
}

}  // namespace foreflow::reproduce
