// Randomised greedy (the public code's default): rounds of tasks that have no port in common. Each round tries random
// orders of the tasks that are left and keeps the largest set, of equal ones that with the most even loads of senders.
//
//   round       1      2        tasks hA->hC, hA->hD, hB->hC, hB->hD
//   hA       |->C | ->D|        round 1 takes hA->hC, and of the others only hB->hD has no port in common with it
//   hB       |->D | ->C|
#include <algorithm>
#include <numeric>
#include <random>

#include "foreflow/base/nth.h"
#include "foreflow/reshard/strategy.h"
#include "reshard/diagonals.h"
#include "reshard/groups.h"

namespace foreflow::reshard::definitions::greedy {
namespace {

constexpr int64_t kTrials = 100;  // random orders per round, as in the public code
// Groups looked at in all rounds together: large problems have fewer trials, and those of which a single trial takes
// more are ordered by diagonals.
constexpr int64_t kSteps = 20'000'000;

// A number below `limit`. std::uniform_int_distribution may differ between standard libraries.
uint64_t below(std::mt19937_64& rng, uint64_t limit) { return rng() % limit; }

struct Round {
  std::vector<Choice> choices;  // `task` is an index into groups
  std::vector<Seconds> load;    // of senders, after the round
  double unevenness = 0;        // variance of the loads
};

class Rounds {
 public:
  Rounds(const Problem& problem, uint64_t seed) : problem_(problem), groups_(groups(problem)), rng_(seed) {
    left_.resize(groups_.size());
    std::iota(left_.begin(), left_.end(), 0);
    for (const auto& group : groups_) taken_.push_back(group.size());
    load_.resize(static_cast<size_t>(problem.ports));
  }

  std::vector<Choice> order() {
    std::vector<Choice> result;
    const auto tasks      = static_cast<int64_t>(problem_.tasks.size());
    const int64_t in_turn = std::max<int64_t>(1, std::min<int64_t>(problem_.ports, tasks) / 2);
    const int64_t steps   = std::max<int64_t>(1, tasks / in_turn) * static_cast<int64_t>(groups_.size());
    if (steps > kSteps) return by_diagonals(problem_);
    const int64_t trials = std::clamp<int64_t>(kSteps / std::max<int64_t>(1, steps), 1, kTrials);
    while (!left_.empty()) {
      Round best = trial();
      for (int64_t i = 1; i < trials && left_.size() > 1; ++i) {
        Round next = trial();
        if (better(next, best)) best = std::move(next);
      }
      take(best, result);
    }
    return result;
  }

 private:
  static bool better(const Round& a, const Round& b) {
    if (a.choices.size() != b.choices.size()) return a.choices.size() > b.choices.size();
    return a.unevenness < b.unevenness;
  }

  const ProblemTask& task(int group) const { return nth(problem_.tasks, nth(groups_, group).front()); }

  Round trial() {
    for (size_t i = left_.size(); i > 1; --i) std::swap(left_[i - 1], left_[below(rng_, i)]);
    busy_.assign(2 * static_cast<size_t>(problem_.ports), false);
    Round round{{}, load_, 0};
    for (const int group : left_) {
      const auto& receivers = task(group).receivers;
      const bool free       = std::none_of(receivers.begin(), receivers.end(),
                                           [&](int port) { return nth(busy_, problem_.receives_at(port)); });
      const int candidate   = free ? draw_sender(task(group), round.load) : -1;
      if (candidate < 0) continue;
      const Candidate& chosen = nth(task(group).senders, candidate);
      for (const int port : receivers) nth(busy_, problem_.receives_at(port)) = true;
      nth(busy_, problem_.sends_at(chosen.sender)) = true;
      nth(round.load, chosen.sender) += chosen.duration;
      round.choices.push_back({group, candidate});
    }
    double sum = 0, squares = 0;
    for (const Seconds load : round.load) sum += load.value(), squares += load.value() * load.value();
    round.unevenness = squares - sum * sum / problem_.ports;
    return round;
  }

  // Returns true if the port serves a task of this round where it sends.
  bool sends(int port) const { return nth(busy_, problem_.sends_at(port)); }

  // One of the senders that are free in this round, the more probable the less load it has; -1: none is.
  int draw_sender(const ProblemTask& task, const std::vector<Seconds>& load) {
    double total = 0, most = 0;
    weights_.clear();
    for (const Candidate& one : task.senders) most = std::max(most, nth(load, one.sender).value());
    for (const Candidate& one : task.senders) {
      const auto port = static_cast<size_t>(one.sender);
      weights_.push_back(sends(one.sender) ? 0 : most - load[port].value() + one.duration.value());
      total += weights_.back();
    }
    if (task.senders.size() == 1) return sends(task.senders.front().sender) ? -1 : 0;
    double drawn = static_cast<double>(rng_() >> 11) * 0x1p-53 * total;
    int last     = -1;
    for (size_t i = 0; i < weights_.size(); ++i) {
      if (sends(task.senders[i].sender)) continue;
      last = static_cast<int>(i);
      if (drawn < weights_[i]) break;
      drawn -= weights_[i];
    }
    return last;
  }

  // One task of each group of the round; groups that are used up are left no longer.
  void take(const Round& round, std::vector<Choice>& order) {
    load_ = round.load;
    for (const Choice& choice : round.choices) {
      auto& count       = nth(taken_, choice.task);
      const auto& group = nth(groups_, choice.task);
      order.push_back({group[group.size() - count], choice.candidate});
      --count;
    }
    left_.erase(std::remove_if(left_.begin(), left_.end(), [&](int group) { return nth(taken_, group) == 0; }),
                left_.end());
  }

  const Problem& problem_;
  std::vector<std::vector<int>> groups_;
  std::mt19937_64 rng_;
  std::vector<int> left_;      // groups that have tasks
  std::vector<size_t> taken_;  // tasks that each group still has
  std::vector<Seconds> load_;
  std::vector<bool> busy_;  // servers of ports, in this round
  std::vector<double> weights_;
};

Schedule solve(const Problem& problem, const PlanOptions& options) {
  return evaluate(problem, Rounds(problem, options.seed).order());
}

}  // namespace

BalanceDef row() {
  return {"greedy", "rounds of tasks without a common port, the largest of random ones; seeded",
          "arXiv 2211.05322, section 4", solve};
}

}  // namespace foreflow::reshard::definitions::greedy
