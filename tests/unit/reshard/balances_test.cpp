// Balances against the columns of the nine cases that depend on ports alone, and on small problems by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foreflow/reshard/strategy.h"
#include "support/reshard_cases.h"

namespace foreflow::reshard::balances_test {
namespace {

const Seconds kSecond(1);

Plan plan(const test::ReshardCase& one, const char* strategy, const char* balance) {
  PlanOptions options;
  options.balance = &balances().get(balance, "test");
  return strategies()
      .get(strategy, "test")
      .plan(unit_tasks({one.move}), uniform_ports(test::hosts_of_four(one.move), BytesPerSecond(1.25e9)), options);
}

TEST(Balances, EndWhenTheNineCasesSay) {
  const std::map<std::string, std::string> columns = {{"naive", "naive"},   {"load_balance", "load_balance_only"},
                                                      {"ensemble", "ours"}, {"greedy", "ours"},
                                                      {"dfs", "ours"},      {"exact", "ours"}};
  for (const test::ReshardCase& one : test::reshard_cases()) {
    for (const auto& [balance, column] : columns) {
      const Plan found = plan(one, "broadcast", balance.c_str());
      EXPECT_NEAR(found.expected / one.expected(column), 1, 1e-9) << one.name << " " << balance;
    }
    EXPECT_TRUE(plan(one, "broadcast", "ensemble").proven) << one.name;
  }
}

// Two senders, loads 3, 3, 2, 2, 2: LPT needs 7, but 6 is possible.
TEST(Balances, ExactFindsWhatLoadBalanceMisses) {
  Problem problem{7, {}};
  for (const double load : {3, 3, 2, 2, 2}) {
    const int receiver = 2 + static_cast<int>(problem.tasks.size());
    problem.tasks.push_back({{{0, load * kSecond}, {1, load * kSecond}}, {receiver}});
  }
  EXPECT_EQ(balances().get("load_balance", "test").solve(problem, {}).makespan, 7 * kSecond);
  const Schedule best = balances().get("exact", "test").solve(problem, {});
  EXPECT_EQ(best.makespan, 6 * kSecond);
  EXPECT_TRUE(best.proven);
}

TEST(Balances, ChooseTheFasterOfUnequalSenders) {
  Problem problem{4, {}};
  for (int task = 0; task < 2; ++task) problem.tasks.push_back({{{0, 4 * kSecond}, {1, kSecond}}, {2 + task}});
  // Both over the fast sender, one after the other.
  EXPECT_EQ(balances().get("ensemble", "test").solve(problem, {}).makespan, 2 * kSecond);
}

// 300 senders with a task for each of 300 receivers: too many for random orders.
TEST(Balances, OrderLargeExchangesByDiagonals) {
  constexpr int kSide = 300;
  Problem problem{2 * kSide, {}};
  for (int to = 0; to < kSide; ++to) {
    for (int from = 0; from < kSide; ++from) problem.tasks.push_back({{{from, kSecond}}, {kSide + to}});
  }
  const Schedule found = balances().get("greedy", "test").solve(problem, {});
  EXPECT_EQ(found.makespan, kSide * kSecond);
  EXPECT_TRUE(found.proven);
}

TEST(Balances, AProblemWithoutTasksTakesNoTime) {
  for (const BalanceDef& balance : balances()) {
    const Schedule none = balance.solve({3, {}}, {});
    EXPECT_EQ(none.makespan, Seconds(0)) << balance.name;
    EXPECT_TRUE(none.proven) << balance.name;
  }
}

// Host 0 sends one tensor to host 1 and to host 2, which has a tenth of the speed, and five tensors to host 3. A chain
// holds the sender for the ten seconds of host 2; with forwarding it is free after one.
TEST(Strategies, ForwardingFreesTheSenderOfASlowReceiver) {
  const Spec whole{{{}}};
  const auto send = [&](const Mesh& to) {
    return Move{{"", {1000}, Bytes(1)}, {consecutive({1}, 0), whole}, {to, whole}};
  };
  std::vector<Move> moves = {send(consecutive({2}, 1))};
  for (int i = 0; i < 5; ++i) moves.push_back(send(consecutive({1}, 3)));
  Ports ports        = uniform_ports({{0, 0}, {1, 1}, {2, 2}, {3, 3}}, BytesPerSecond(1000));
  ports.ports[2].in  = BytesPerSecond(100);
  const auto planned = [&](const char* name) {
    return strategies().get(name, "test").plan(unit_tasks(moves), ports, {}).expected;
  };
  EXPECT_DOUBLE_EQ(planned("broadcast").value(), 10 + 5);
  EXPECT_DOUBLE_EQ(planned("forward").value(), 1 + 10);
}

}  // namespace
}  // namespace foreflow::reshard::balances_test
