#include "transform/pipeline/model/sent_values.h"

#include <algorithm>
#include <map>
#include <utility>

#include "foreflow/base/nth.h"

namespace foreflow::transform {
namespace {

// The computes and the messages of a part of a task.
struct Part {
  Seconds computes;
  int messages = 0;
};

Part operator-(const Part& a, const Part& b) { return {a.computes - b.computes, a.messages - b.messages}; }
Part operator+(const Part& a, const Part& b) { return {a.computes + b.computes, a.messages + b.messages}; }

// When ops run within their task.
class TaskClock {
 public:
  TaskClock(const StagedProgram& program, size_t stages) : staged_(program.staged), times_(staged_.size()) {
    for (const StagePhase phase : {StagePhase::forward, StagePhase::backward}) wholes_[phase].resize(stages);
    for (size_t o = 0; o < times_.size(); ++o) {
      const auto whole = wholes_.find(staged_[o].phase);
      if (whole == wholes_.end()) continue;
      Part& now        = nth(whole->second, staged_[o].stage);
      times_[o].first  = now;
      times_[o].second = now = now + Part{program.seconds[o], program.messages[o] >= 0 ? 1 : 0};
    }
  }

  Part before(size_t op) const { return times_[op].first; }
  Part behind(size_t op) const { return nth(wholes_.at(staged_[op].phase), staged_[op].stage) - times_[op].second; }

 private:
  const std::vector<StagedOp>& staged_;
  std::vector<std::pair<Part, Part>> times_;        // per op: what is done before it begins, and when it ends
  std::map<StagePhase, std::vector<Part>> wholes_;  // by stage
};

// By stage and device of the group.
using SentByDevice = std::vector<std::map<int32_t, std::map<ir::ValueId, StageNeed::Sent>>>;

// The values that all devices send, each with the least bytes and the most computes beside it of any device.
std::vector<StageNeed::Sent> of_group(const StagedProgram& program, const SentByDevice::value_type& by_device) {
  std::vector<StageNeed::Sent> all;
  if (by_device.empty() || by_device.size() < program.devices) return all;
  for (const auto& [id, sent] : by_device.begin()->second) all.push_back(sent);
  for (const auto& [device, values] : by_device) {
    if (values.size() != all.size()) return {};
    size_t i = 0;
    for (const auto& [id, sent] : values) {
      all[i].bytes  = std::min(all[i].bytes, sent.bytes);
      all[i].beside = std::max(all[i].beside, sent.beside);
      ++i;
    }
  }
  return all;
}

}  // namespace

// A value goes from the stage that makes it directly to each stage that reads it.
SentValues sent_values(const StagedProgram& program, size_t stages) {
  SentByDevice to_next(stages), to_previous(stages);
  const TaskClock clock(program, stages);
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
      const Part beside = clock.behind(static_cast<size_t>(maker)) + clock.before(o);
      if (beside.messages > 0) continue;
      const Bytes bytes = ir::bytes_of(local_type(value.value.type, value.layout, program.parts));
      auto& sent        = nth(phase == StagePhase::forward ? to_next : to_previous, from);
      auto& own         = sent[ir::device_of(value.value.type).index];
      own.try_emplace(id, StageNeed::Sent{bytes, beside.computes});  // by its first reader
    }
  }
  SentValues all;
  for (const auto& by_device : to_next) all.to_next.push_back(of_group(program, by_device));
  for (const auto& by_device : to_previous) all.to_previous.push_back(of_group(program, by_device));
  return all;
}

Bytes least_of_group(const StagedProgram& program, const std::map<int32_t, Bytes>& by_device) {
  if (by_device.empty() || by_device.size() < program.devices) return Bytes(0);
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  return std::min_element(by_device.begin(), by_device.end(), less)->second;
}

}  // namespace foreflow::transform
