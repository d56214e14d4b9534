#include "transform/pipeline/model/sent_values.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "foreflow/base/nth.h"

namespace foreflow::transform {
namespace {

// When ops run within the computes of their task.
class TaskClock {
 public:
  TaskClock(const StagedProgram& program, size_t stages) : staged_(program.staged), times_(staged_.size()) {
    for (const StagePhase phase : {StagePhase::forward, StagePhase::backward}) wholes_[phase].resize(stages);
    for (size_t o = 0; o < times_.size(); ++o) {
      const auto whole = wholes_.find(staged_[o].phase);
      if (whole == wholes_.end()) continue;
      Seconds& now     = nth(whole->second, staged_[o].stage);
      times_[o].first  = now;
      times_[o].second = now += program.seconds[o];
    }
  }

  Seconds before(size_t op) const { return times_[op].first; }
  Seconds behind(size_t op) const { return nth(wholes_.at(staged_[op].phase), staged_[op].stage) - times_[op].second; }

 private:
  const std::vector<StagedOp>& staged_;
  std::vector<std::pair<Seconds, Seconds>> times_;     // per op: when it begins and ends
  std::map<StagePhase, std::vector<Seconds>> wholes_;  // by stage
};

}  // namespace

// A value goes from the stage that makes it directly to each stage that reads it.
std::vector<SentValues> sent_values(const StagedProgram& program, size_t stages) {
  using ByDevice = std::map<int32_t, Bytes>;  // the largest value that each device of the group sends
  std::vector<ByDevice> to_next(stages), to_previous(stages);
  const TaskClock clock(program, stages);
  std::vector<std::optional<Seconds>> beside_next(stages), beside_previous(stages);
  for (size_t o = 0; o < program.staged.size(); ++o) {
    const auto [phase, stage] = program.staged[o];
    if (phase != StagePhase::forward && phase != StagePhase::backward) continue;
    const int from = phase == StagePhase::forward ? stage - 1 : stage + 1;
    for (const ir::ValueId id : program.function.inputs(program.function.ops[o])) {
      const int32_t maker = id == ir::ValueId::none ? -1 : program.makers[ir::index(id)];
      if (maker < 0) continue;
      const StagedOp& made = nth(program.staged, maker);
      const LaidOut& value = program.values[ir::index(id)];
      if (made.phase != phase || made.stage != from || value.value.known || !value.layout.is_split()) continue;
      ByDevice& sent       = nth(phase == StagePhase::forward ? to_next : to_previous, from);
      Bytes& most          = sent[ir::device_of(value.value.type).index];
      most                 = std::max(most, ir::bytes_of(local_type(value.value.type, value.layout, program.parts)));
      const Seconds around = clock.behind(static_cast<size_t>(maker)) + clock.before(o);
      auto& beside         = nth(phase == StagePhase::forward ? beside_next : beside_previous, from);
      beside               = std::min(beside.value_or(around), around);
    }
  }
  std::vector<SentValues> all;
  for (size_t stage = 0; stage < stages; ++stage) {
    all.push_back({least_of_group(program, to_next[stage]), least_of_group(program, to_previous[stage]),
                   beside_next[stage].value_or(Seconds(0)), beside_previous[stage].value_or(Seconds(0))});
  }
  return all;
}

Bytes least_of_group(const StagedProgram& program, const std::map<int32_t, Bytes>& by_device) {
  if (by_device.empty() || by_device.size() < program.devices) return Bytes(0);
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  return std::min_element(by_device.begin(), by_device.end(), less)->second;
}

}  // namespace foreflow::transform
