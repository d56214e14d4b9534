#include "search/bounds/plans.h"

#include <algorithm>

namespace foreflow::search {
namespace {

// The plan with pairs of tasks that would run as one (schedule::Task::joined) one after the other.
KnownPlan without_pairs(size_t number, schedule::Plan plan) {
  for (auto& tasks : plan.order) {
    for (schedule::Task& task : tasks) task.joined = false;
    tasks.shrink_to_fit();
  }
  return {number, std::move(plan)};
}

}  // namespace

const KnownPlan& Plans::of(const schedule::ScheduleDef& schedule, const schedule::Size& size) {
  constexpr size_t kMostTasks = 1'000'000;  // which take sixteen megabytes
  const std::tuple key(&schedule, size.devices, size.microbatches, size.chunks);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  if (tasks_ > kMostTasks) {
    known_.clear();
    tasks_ = 0;
  }
  const KnownPlan& known = known_.emplace(key, without_pairs(made_++, schedule::plan(schedule, size))).first->second;
  for (const auto& tasks : known.plan.order) tasks_ += tasks.size();
  return known;
}

const schedule::TaskSequence& Plays::in_sequence(const KnownPlan& plan) {
  constexpr size_t kMostTasks = 400'000;  // which take sixteen megabytes
  if (const auto found = sequences_.find(plan.number); found != sequences_.end()) return found->second;
  if (tasks_ > kMostTasks) {
    sequences_.clear();
    tasks_ = 0;
  }
  for (const auto& tasks : plan.plan.order) tasks_ += tasks.size();
  return sequences_.emplace(plan.number, schedule::TaskSequence(plan.plan)).first->second;
}

const schedule::Slots& Plays::of(const KnownPlan& plan, const schedule::Costs& costs) {
  constexpr size_t kMostTasks = 500'000;  // which take sixteen megabytes; one play is always kept
  constexpr size_t kMostPlays = 64;
  const auto is_same          = [](const schedule::StageCosts& a, const schedule::StageCosts& b) {
    return a.forward == b.forward && a.input_grad == b.input_grad && a.weight_grad == b.weight_grad &&
           a.accumulation == b.accumulation && a.from_previous == b.from_previous && a.from_next == b.from_next;
  };
  const auto found = std::find_if(known_.begin(), known_.end(), [&](const Play& play) {
    return play.plan == plan.number &&
           std::equal(play.costs.begin(), play.costs.end(), costs.stages.begin(), costs.stages.end(), is_same);
  });
  if (found != known_.end()) {
    known_.splice(known_.begin(), known_, found);
    return known_.front().slots;
  }
  known_.push_front({plan.number, costs.stages, in_sequence(plan).play(costs), 0});
  for (const auto& slots : known_.front().slots) known_.front().tasks += slots.size();
  size_t tasks = 0, plays = 0;
  for (auto at = known_.begin(); at != known_.end(); ++plays) {
    tasks += at->tasks;
    at = (tasks > kMostTasks || plays == kMostPlays) && plays > 0 ? known_.erase(at) : std::next(at);
  }
  return known_.front().slots;
}

}  // namespace foreflow::search
