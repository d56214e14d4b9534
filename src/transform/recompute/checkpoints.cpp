#include "transform/recompute/checkpoints.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "foreflow/base/error.h"

namespace foreflow::transform {
namespace {

// A way to cover the blocks before some place, and what it was before its last choice.
struct Partial {
  Bytes kept;
  Flops extra;
  size_t choice = 0, before = 0;  // before: index among the partial plans where the choice begins
  size_t picks = 0;
};

// The Pareto front of kept bytes and extra work, ascending by kept bytes.
std::vector<Partial> undominated(std::vector<Partial> all) {
  std::sort(all.begin(), all.end(), [](const Partial& a, const Partial& b) {
    return std::tuple(a.kept, a.extra, a.picks, a.choice, a.before) <
           std::tuple(b.kept, b.extra, b.picks, b.choice, b.before);
  });
  std::vector<Partial> front;
  for (const Partial& one : all) {
    if (front.empty() || one.extra < front.back().extra) front.push_back(one);
  }
  return front;
}

class CheckpointPlanner {
 public:
  CheckpointPlanner(size_t blocks, const std::vector<Choice>& choices)
      : blocks_(blocks), choices_(choices), ending_(blocks + 1) {
    for (size_t c = 0; c < choices.size(); ++c) ending_[choices[c].first + choices[c].length].push_back(c);
  }

  // The best plan whose choices repeat at most `repeated` each; nothing: there is none, or none as small as `limit`.
  std::vector<CheckpointPlan> plans(Bytes repeated) const {
    std::vector<std::vector<Partial>> fronts(blocks_ + 1);
    fronts[0] = {{Bytes(0), Flops(0)}};
    for (size_t place = 1; place <= blocks_; ++place) {
      std::vector<Partial> all;
      for (const size_t c : ending_[place]) {
        const Choice& choice = choices_[c];
        if (choice.repeated > repeated) continue;
        const auto& before = fronts[choice.first];
        for (size_t i = 0; i < before.size(); ++i)
          all.push_back({before[i].kept + choice.kept, before[i].extra + choice.extra, c, i, before[i].picks + 1});
      }
      fronts[place] = undominated(std::move(all));
    }
    std::vector<CheckpointPlan> made;
    made.reserve(fronts[blocks_].size());
    for (const Partial& last : fronts[blocks_]) made.push_back(traced(fronts, last));
    return made;
  }

 private:
  CheckpointPlan traced(const std::vector<std::vector<Partial>>& fronts, Partial at) const {
    CheckpointPlan plan{{}, at.kept, Bytes(0), at.extra};
    for (size_t place = blocks_; place > 0;) {
      const Choice& choice = choices_[at.choice];
      plan.picks.push_back(at.choice);
      plan.repeated = std::max(plan.repeated, choice.repeated);
      place         = choice.first;
      at            = fronts[place][at.before];
    }
    std::reverse(plan.picks.begin(), plan.picks.end());
    return plan;
  }

  const size_t blocks_;
  const std::vector<Choice>& choices_;
  std::vector<std::vector<size_t>> ending_;  // choices by the block behind their last
};

}  // namespace

CheckpointPlan best_plan(size_t blocks, const std::vector<Choice>& choices, Bytes limit, double in_flight) {
  const CheckpointPlanner planner(blocks, choices);
  std::set<Bytes> bounds;
  for (const Choice& choice : choices) bounds.insert(choice.repeated);
  const auto better = [&](const CheckpointPlan& a, const CheckpointPlan& b) {
    const Bytes first = a.memory(in_flight), second = b.memory(in_flight);
    if ((first <= limit) != (second <= limit)) return first <= limit;
    if (first <= limit) return std::tuple(a.extra, first, a.picks.size()) < std::tuple(b.extra, second, b.picks.size());
    return std::tuple(first, a.extra, a.picks.size()) < std::tuple(second, b.extra, b.picks.size());
  };
  std::optional<CheckpointPlan> best;
  for (const Bytes bound : bounds) {
    for (CheckpointPlan& plan : planner.plans(bound)) {
      if (!best || better(plan, *best)) best = std::move(plan);
    }
  }
  FOREFLOW_CHECK(best.has_value(), "every block of a chain has a choice");
  return *best;
}

}  // namespace foreflow::transform
