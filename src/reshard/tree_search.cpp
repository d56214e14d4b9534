#include "reshard/tree_search.h"

#include <algorithm>
#include <limits>
#include <set>

#include "foreflow/base/nth.h"
#include "reshard/groups.h"

namespace foreflow::reshard {
namespace {

constexpr int64_t kGroupsOfNode = 64;     // a node of a problem with many groups counts for several
constexpr double kSlack         = 1e-12;  // relative: sums of equal durations in another order are equal

// An undoable state of the ports, and the sums of which bounds are made.
struct Ends {
  std::vector<double> busy;          // the end of the last task of each server of a port
  std::vector<double> to_send;       // what is left that only this port can send
  std::vector<double> to_receive;    // what is left to receive
  double out_sum = 0, left_sum = 0;  // over all ports that send; over all tasks
};

class TreeSearch {
 public:
  TreeSearch(const Problem& problem, const Schedule& start, int64_t nodes)
      : problem_(problem), groups_(groups(problem)), best_(start.makespan.value()), nodes_(nodes) {
    const auto ports = static_cast<size_t>(problem.ports);
    ends_            = {std::vector<double>(2 * ports), std::vector<double>(ports), std::vector<double>(ports)};
    std::set<int> senders;
    for (const auto& group : groups_) {
      left_.push_back(group.size());
      const ProblemTask& task = task_of(left_.size() - 1);
      least_.push_back(task.senders.front().duration.value());
      for (const Candidate& one : task.senders) {
        least_.back() = std::min(least_.back(), one.duration.value());
        senders.insert(one.sender);
      }
      count(left_.size() - 1, static_cast<double>(group.size()));
    }
    senders_ = static_cast<double>(std::max<size_t>(1, senders.size()));
    floor_   = lower_bound(problem).value();
  }

  // Returns true if the tree was searched to its end.
  bool run() {
    if (best_ <= floor_ * (1 + kSlack)) return true;
    if (nodes_ < static_cast<int64_t>(problem_.tasks.size())) return false;  // not even one schedule would be complete
    return branch(0, 0, std::numeric_limits<size_t>::max());
  }
  const std::vector<Choice>& found() const { return found_; }

 private:
  struct Move {
    double start, end;
    size_t group;
    int candidate;
  };

  const ProblemTask& task_of(size_t group) const { return nth(problem_.tasks, groups_[group].front()); }

  // Adds `tasks` tasks of a group to what is left, or takes them away.
  void count(size_t group, double tasks) {
    const ProblemTask& task = task_of(group);
    const double load       = tasks * least_[group];
    for (const int port : task.receivers) nth(ends_.to_receive, port) += load;
    if (task.senders.size() == 1) nth(ends_.to_send, task.senders.front().sender) += load;
    ends_.left_sum += load;
  }

  double bound(double makespan) const {
    double bound = std::max(makespan, (ends_.out_sum + ends_.left_sum) / senders_);
    for (int port = 0; port < problem_.ports; ++port) {
      const double receive = nth(ends_.to_receive, port), send = nth(ends_.to_send, port);
      const bool turns = problem_.takes_turns(port);
      if (receive > 0)
        bound = std::max(bound, nth(ends_.busy, problem_.receives_at(port)) + receive + (turns ? send : 0));
      if (send > 0) bound = std::max(bound, nth(ends_.busy, problem_.sends_at(port)) + send + (turns ? receive : 0));
    }
    return bound;
  }

  // Returns the moves that may follow, earliest start first.
  std::vector<Move> moves(double last_start, size_t last_group) const {
    std::vector<Move> all;
    double first_end = std::numeric_limits<double>::infinity();
    for (size_t group = 0; group < groups_.size(); ++group) {
      if (left_[group] == 0) continue;
      const ProblemTask& task = task_of(group);
      double ready            = 0;
      for (const int port : task.receivers) ready = std::max(ready, nth(ends_.busy, problem_.receives_at(port)));
      for (size_t i = 0; i < task.senders.size(); ++i) {
        const double start = std::max(ready, nth(ends_.busy, problem_.sends_at(task.senders[i].sender)));
        const double end   = start + task.senders[i].duration.value();
        first_end          = std::min(first_end, end);
        all.push_back({start, end, group, static_cast<int>(i)});
      }
    }
    const auto useless = [&](const Move& move) {
      const bool earlier = move.start < last_start || (move.start == last_start && move.group < last_group &&
                                                       last_group != std::numeric_limits<size_t>::max());
      return earlier || move.start >= first_end;
    };
    all.erase(std::remove_if(all.begin(), all.end(), useless), all.end());
    std::stable_sort(all.begin(), all.end(), [](const Move& a, const Move& b) { return a.start < b.start; });
    return all;
  }

  bool branch(double makespan, double last_start, size_t last_group) {
    if (order_.size() == problem_.tasks.size()) {
      best_  = makespan;
      found_ = order_;
      return true;
    }
    bool whole = true;
    for (const Move& move : moves(last_start, last_group)) {
      nodes_ -= 1 + static_cast<int64_t>(groups_.size()) / kGroupsOfNode;
      if (nodes_ < 0) return false;
      if (best_ <= floor_ * (1 + kSlack)) return true;
      whole = follow(move, makespan) && whole;
      if (nodes_ < 0) return false;
    }
    return whole;
  }

  bool follow(const Move& move, double makespan) {
    const ProblemTask& task = task_of(move.group);
    double& out             = nth(ends_.busy, problem_.sends_at(nth(task.senders, move.candidate).sender));
    const double out_before = out, out_sum = ends_.out_sum, left_sum = ends_.left_sum;
    std::vector<double> in_before;
    for (const int port : task.receivers) {
      double& in = nth(ends_.busy, problem_.receives_at(port));
      in_before.push_back(in);
      in = move.end;
    }
    ends_.out_sum += move.end - out;
    out = move.end;
    count(move.group, -1);
    const auto& group = groups_[move.group];
    order_.push_back({group[group.size() - left_[move.group]], move.candidate});
    --left_[move.group];

    const double longest = std::max(makespan, move.end);
    const bool whole     = bound(longest) >= best_ * (1 - kSlack) || branch(longest, move.start, move.group);

    ++left_[move.group];
    order_.pop_back();
    count(move.group, 1);
    out           = out_before;
    ends_.out_sum = out_sum, ends_.left_sum = left_sum;
    for (size_t i = 0; i < in_before.size(); ++i)
      nth(ends_.busy, problem_.receives_at(task.receivers[i])) = in_before[i];
    return whole;
  }

  const Problem& problem_;
  std::vector<std::vector<int>> groups_;
  std::vector<size_t> left_;   // tasks left of each group
  std::vector<double> least_;  // duration of each group with its fastest sender
  Ends ends_;
  double senders_ = 1, floor_ = 0;
  double best_;
  int64_t nodes_;
  std::vector<Choice> order_, found_;
};

}  // namespace

Schedule tree_search(const Problem& problem, const Schedule& start, int64_t nodes) {
  TreeSearch search(problem, start, nodes);
  const bool whole = search.run();
  Schedule result  = search.found().empty() ? start : evaluate(problem, search.found());
  result.proven    = result.proven || whole;
  if (result.proven) result.lower_bound = result.makespan;
  return result;
}

}  // namespace foreflow::reshard
