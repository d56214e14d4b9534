#include "reshard/diagonals.h"

#include <algorithm>
#include <tuple>

#include "foreflow/base/nth.h"

namespace foreflow::reshard {
namespace {

// The number of each port among those that are marked.
std::vector<int> ranks_of(const std::vector<bool>& marked) {
  std::vector<int> ranks(marked.size());
  for (size_t port = 0, next = 0; port < marked.size(); ++port)
    ranks[port] = static_cast<int>(marked[port] ? next++ : 0);
  return ranks;
}

}  // namespace

std::vector<Choice> by_diagonals(const Problem& problem) {
  const auto ports = static_cast<size_t>(problem.ports);
  std::vector<Seconds> load(ports);
  std::vector<bool> sends(ports), receives(ports);
  std::vector<Choice> choices;
  for (size_t i = 0; i < problem.tasks.size(); ++i) {
    const auto& senders = problem.tasks[i].senders;
    const auto after    = [&](const Candidate& one) { return nth(load, one.sender) + one.duration; };
    const auto chosen   = std::min_element(senders.begin(), senders.end(),
                                           [&](const Candidate& a, const Candidate& b) { return after(a) < after(b); });
    nth(load, chosen->sender) += chosen->duration;
    nth(sends, chosen->sender) = true;
    for (const int port : problem.tasks[i].receivers) nth(receives, port) = true;
    choices.push_back({static_cast<int>(i), static_cast<int>(chosen - senders.begin())});
  }
  const auto sender_rank = ranks_of(sends), receiver_rank = ranks_of(receives);
  const auto count = static_cast<int>(
      std::max(std::count(sends.begin(), sends.end(), true), std::count(receives.begin(), receives.end(), true)));
  const auto key = [&](const Choice& choice) {
    const ProblemTask& task = nth(problem.tasks, choice.task);
    const int from          = nth(sender_rank, nth(task.senders, choice.candidate).sender);
    const int to            = task.receivers.empty() ? 0 : nth(receiver_rank, task.receivers.front());
    return std::tuple((to - from + count) % count, from);
  };
  std::vector<std::tuple<int, int, int>> order;  // diagonal, sender, index
  for (size_t i = 0; i < choices.size(); ++i) {
    const auto [diagonal, from] = key(choices[i]);
    order.emplace_back(diagonal, from, static_cast<int>(i));
  }
  std::sort(order.begin(), order.end());
  std::vector<Choice> result;
  for (const auto& [diagonal, from, index] : order) result.push_back(nth(choices, index));
  return result;
}

}  // namespace foreflow::reshard
