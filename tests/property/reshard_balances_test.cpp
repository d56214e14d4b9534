// Every balance on random problems: schedules obey equations 2 and 3 of the paper, the lower bound holds, the ensemble
// is never worse than a member, and on small problems it is as good as the proven optimum, which brute force confirms.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/reshard/strategy.h"

namespace foreflow::reshard::balances_property_test {
namespace {

int up_to(std::mt19937_64& rng, int last) { return 1 + static_cast<int>(rng() % static_cast<uint64_t>(last)); }

struct Size {
  int tasks, senders, receivers;
};

// Some tasks are equal, senders are of unequal speed in every other problem.
Problem random_problem(std::mt19937_64& rng, const Size& size) {
  Problem problem{size.senders + size.receivers, {}};
  const bool unequal = rng() % 2 == 0;
  for (int i = 0; i < size.tasks; ++i) {
    if (i > 0 && rng() % 3 == 0) {
      problem.tasks.push_back(problem.tasks[rng() % static_cast<uint64_t>(i)]);
      continue;
    }
    std::set<int> senders, receivers;
    for (int count = up_to(rng, size.senders); count > 0; --count) senders.insert(up_to(rng, size.senders) - 1);
    for (int count = up_to(rng, size.receivers); count > 0; --count)
      receivers.insert(size.senders + up_to(rng, size.receivers) - 1);
    ProblemTask task{{}, {receivers.begin(), receivers.end()}};
    const int load = up_to(rng, 4);
    for (const int sender : senders) task.senders.push_back({sender, Seconds(unequal ? load * (1 + sender) : load)});
    problem.tasks.push_back(std::move(task));
  }
  return problem;
}

// Ports that send and receive, some of them half duplex.
Problem random_exchange(std::mt19937_64& rng, int tasks, int ports) {
  Problem problem{ports, {}};
  for (int port = 0; port < ports; ++port) problem.half_duplex.push_back(rng() % 3 > 0);
  for (int i = 0; i < tasks; ++i) {
    ProblemTask task;
    const int load = up_to(rng, 4);
    for (int port = 0; port < ports; ++port) {
      const auto side = rng() % 3;
      if (side == 0) task.senders.push_back({port, Seconds(load)});
      if (side == 1) task.receivers.push_back(port);
    }
    if (!task.senders.empty() && !task.receivers.empty()) problem.tasks.push_back(std::move(task));
  }
  return problem;
}

// Empty: each task once, with one of its senders, and no port serves two at a time.
std::string fault(const Problem& problem, const Schedule& schedule) {
  std::map<int, std::vector<std::pair<double, double>>> uses;  // by server of a port
  std::set<int> seen;
  for (const Assignment& one : schedule.order) {
    const ProblemTask& task = problem.tasks.at(static_cast<size_t>(one.task));
    const Candidate& sender = task.senders.at(static_cast<size_t>(one.candidate));
    if (!seen.insert(one.task).second) return "a task twice";
    if (std::abs((one.end - one.start - sender.duration).value()) > 1e-9) return "another duration";
    uses[problem.sends_at(sender.sender)].emplace_back(one.start.value(), one.end.value());
    for (const int port : task.receivers)
      uses[problem.receives_at(port)].emplace_back(one.start.value(), one.end.value());
  }
  if (seen.size() != problem.tasks.size()) return "not every task";
  for (auto& [server, times] : uses) {
    std::sort(times.begin(), times.end());
    for (size_t i = 1; i < times.size(); ++i) {
      if (times[i].first < times[i - 1].second - 1e-9) return "two tasks at one port at once";
    }
  }
  return "";
}

TEST(ReshardBalances, SchedulesAreValidAndNotBelowTheBound) {
  std::mt19937_64 rng(1);
  for (int i = 0; i < 300; ++i) {
    const Problem problem = random_problem(rng, {up_to(rng, 24), up_to(rng, 5), up_to(rng, 5)});
    for (const BalanceDef& balance : balances()) {
      const Schedule found = balance.solve(problem, {.seed = rng(), .node_budget = 500});
      ASSERT_EQ(fault(problem, found), "") << balance.name << " " << i;
      ASSERT_GE(found.makespan.value(), lower_bound(problem).value() * (1 - 1e-12)) << balance.name << " " << i;
      ASSERT_GE(found.makespan.value(), found.lower_bound.value() * (1 - 1e-12)) << balance.name << " " << i;
    }
  }
}

TEST(ReshardBalances, SchedulesOfHalfDuplexPortsAreValidAndNotBelowTheBound) {
  std::mt19937_64 rng(6);
  for (int i = 0; i < 300; ++i) {
    const Problem problem = random_exchange(rng, up_to(rng, 24), 1 + up_to(rng, 6));
    for (const BalanceDef& balance : balances()) {
      const Schedule found = balance.solve(problem, {.seed = rng(), .node_budget = 500});
      ASSERT_EQ(fault(problem, found), "") << balance.name << " " << i;
      ASSERT_GE(found.makespan.value(), lower_bound(problem).value() * (1 - 1e-12)) << balance.name << " " << i;
      ASSERT_GE(found.makespan.value(), found.lower_bound.value() * (1 - 1e-12)) << balance.name << " " << i;
    }
  }
}

TEST(ReshardBalances, TheEnsembleIsNeverWorseThanAMember) {
  std::mt19937_64 rng(2);
  for (int i = 0; i < 300; ++i) {
    const Problem problem = random_problem(rng, {up_to(rng, 40), up_to(rng, 6), up_to(rng, 6)});
    const PlanOptions options{.seed = rng(), .node_budget = 500};
    const Seconds ensemble = balances().get("ensemble", "test").solve(problem, options).makespan;
    for (const char* member : {"naive", "load_balance", "colouring", "greedy", "dfs"})
      ASSERT_LE(ensemble, balances().get(member, "test").solve(problem, options).makespan) << member << " " << i;
  }
}

TEST(ReshardBalances, TheEnsembleFindsTheProvenOptimumOfSmallProblems) {
  std::mt19937_64 rng(3);
  for (int i = 0; i < 1000; ++i) {
    const Problem problem = random_problem(rng, {up_to(rng, 8), up_to(rng, 3), up_to(rng, 3)});
    const Schedule exact  = balances().get("exact", "test").solve(problem, {});
    ASSERT_TRUE(exact.proven) << i;
    ASSERT_NEAR(balances().get("ensemble", "test").solve(problem, {}).makespan / exact.makespan, 1, 1e-12) << i;
  }
}

// Equal tasks from one sender to one receiver: as many rounds as the busiest port has tasks, and not one more.
TEST(ReshardBalances, ColouringNeedsNoMoreRoundsThanTheBusiestPort) {
  std::mt19937_64 rng(5);
  for (int i = 0; i < 300; ++i) {
    const int senders = up_to(rng, 9), receivers = up_to(rng, 9);
    Problem problem{senders + receivers, {}};
    std::vector<int> load(static_cast<size_t>(problem.ports));
    for (int count = up_to(rng, 120); count > 0; --count) {
      const int from = up_to(rng, senders) - 1, to = senders + up_to(rng, receivers) - 1;
      problem.tasks.push_back({{{from, Seconds(1)}}, {to}});
      ++nth(load, from), ++nth(load, to);
    }
    const Schedule found = balances().get("colouring", "test").solve(problem, {});
    ASSERT_EQ(fault(problem, found), "") << i;
    ASSERT_EQ(found.makespan.value(), *std::max_element(load.begin(), load.end())) << i;
    ASSERT_TRUE(found.proven) << i;
  }
}

// Every order with every choice of senders.
Seconds brute_force(const Problem& problem) {
  std::vector<int> tasks(problem.tasks.size());
  std::iota(tasks.begin(), tasks.end(), 0);
  Seconds best(1e300);
  do {
    std::vector<Choice> order;
    for (const int task : tasks) order.push_back({task, 0});
    for (size_t digit = 0; digit < order.size();) {
      best  = std::min(best, evaluate(problem, order).makespan);
      digit = 0;
      while (digit < order.size()) {
        const auto& senders = nth(problem.tasks, order[digit].task).senders;
        if (++order[digit].candidate < static_cast<int>(senders.size())) break;
        order[digit++].candidate = 0;
      }
    }
  } while (std::next_permutation(tasks.begin(), tasks.end()));
  return best;
}

TEST(ReshardBalances, TheProvenOptimumIsThatOfBruteForce) {
  std::mt19937_64 rng(4);
  for (int i = 0; i < 300; ++i) {
    const Problem problem = random_problem(rng, {up_to(rng, 5), up_to(rng, 3), up_to(rng, 3)});
    const Schedule exact  = balances().get("exact", "test").solve(problem, {});
    ASSERT_NEAR(exact.makespan / brute_force(problem), 1, 1e-12) << i;
  }
}

TEST(ReshardBalances, TheProvenOptimumOfHalfDuplexPortsIsThatOfBruteForce) {
  std::mt19937_64 rng(7);
  for (int i = 0; i < 300; ++i) {
    const Problem problem = random_exchange(rng, up_to(rng, 6), 1 + up_to(rng, 4));
    if (problem.tasks.empty()) continue;
    const Schedule exact = balances().get("exact", "test").solve(problem, {});
    ASSERT_TRUE(exact.proven) << i;
    ASSERT_NEAR(exact.makespan.value(), brute_force(problem).value(), 1e-9) << i;
  }
}

}  // namespace
}  // namespace foreflow::reshard::balances_property_test
