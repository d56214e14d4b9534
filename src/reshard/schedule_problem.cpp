#include "foreflow/reshard/schedule_problem.h"

#include <algorithm>
#include <map>
#include <set>

#include "foreflow/base/nth.h"

namespace foreflow::reshard {

Schedule evaluate(const Problem& problem, const std::vector<Choice>& order) {
  std::vector<Seconds> busy(2 * static_cast<size_t>(problem.ports));  // by server: the end of its last task
  Schedule schedule;
  schedule.order.reserve(order.size());
  for (const Choice& choice : order) {
    const ProblemTask& task    = nth(problem.tasks, choice.task);
    const Candidate& candidate = nth(task.senders, choice.candidate);
    Seconds& sender            = nth(busy, problem.sends_at(candidate.sender));
    Seconds start              = sender;
    for (const int port : task.receivers) start = std::max(start, nth(busy, problem.receives_at(port)));
    const Seconds end = start + candidate.duration;
    sender            = end;
    for (const int port : task.receivers) nth(busy, problem.receives_at(port)) = end;
    schedule.order.push_back({choice.task, choice.candidate, start, end});
    schedule.makespan = std::max(schedule.makespan, end);
  }
  schedule.lower_bound = lower_bound(problem);
  schedule.proven      = schedule.makespan <= schedule.lower_bound * (1 + 1e-12);
  std::stable_sort(schedule.order.begin(), schedule.order.end(),
                   [](const Assignment& a, const Assignment& b) { return a.start < b.start; });
  return schedule;
}

Seconds lower_bound(const Problem& problem) {
  std::vector<Seconds> served(static_cast<size_t>(problem.ports));  // what each port receives, and more if half duplex
  std::map<std::set<int>, Seconds> held;                            // by the set of possible senders
  std::set<int> all;
  for (const ProblemTask& task : problem.tasks) {
    Seconds least = task.senders.front().duration;
    std::set<int> senders;
    for (const Candidate& candidate : task.senders) {
      least = std::min(least, candidate.duration);
      senders.insert(candidate.sender);
    }
    for (const int port : task.receivers) nth(served, port) += least;
    if (senders.size() == 1 && problem.takes_turns(*senders.begin())) nth(served, *senders.begin()) += least;
    held[senders] += least;
    all.insert(senders.begin(), senders.end());
  }
  Seconds bound;
  for (const Seconds load : served) bound = std::max(bound, load);
  held.emplace(all, Seconds(0));
  for (const auto& [senders, own] : held) {
    Seconds load;
    for (const auto& [others, more] : held) {
      if (std::includes(senders.begin(), senders.end(), others.begin(), others.end())) load += more;
    }
    bound = std::max(bound, load / static_cast<double>(senders.size()));
  }
  return bound;
}

}  // namespace foreflow::reshard
