// The plans of schedules that were asked for last, and their plays.
#pragma once

#include <list>
#include <map>
#include <tuple>
#include <vector>

#include "foreflow/schedule/play.h"
#include "foreflow/schedule/task_sequence.h"

namespace foreflow::search {

// Loosened: no tasks run as one, each waits for its own inputs only.
struct KnownPlan {
  size_t number;  // no other plan has it
  schedule::Plan plan;
};

class Plans {
 public:
  // The plan, valid until the next call.
  const KnownPlan& of(const schedule::ScheduleDef& schedule, const schedule::Size& size);

 private:
  std::map<std::tuple<const schedule::ScheduleDef*, int, int, int>, KnownPlan> known_;
  size_t tasks_ = 0, made_ = 0;  // in all of them; plans, ever
};

// Plans, played with the costs that were asked for last: strategies that differ in what their tasks do not
// wait for have the same.
class Plays {
 public:
  // Valid until the next call. Requires: the costs are of every virtual stage, and Costs::hop is 0.
  const schedule::Slots& of(const KnownPlan& plan, const schedule::Costs& costs);

 private:
  struct Play {
    size_t plan;
    std::vector<schedule::StageCosts> costs;
    schedule::Slots slots;
    size_t tasks;
  };
  const schedule::TaskSequence& in_sequence(const KnownPlan& plan);

  std::list<Play> known_;                               // the one asked for last first
  std::map<size_t, schedule::TaskSequence> sequences_;  // by the numbers of plans
  size_t tasks_ = 0;                                    // in all of them
};

}  // namespace foreflow::search
