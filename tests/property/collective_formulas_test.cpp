// The closed forms against the formulas of the literature, written down once more: Chan et al. 2007, Thakur,
// Rabenseifner and Gropp 2005, Patarasuk and Yuan 2009, Cho et al. 2019, Sanders et al. 2009, NCCL. n ranks, N nodes of
// G, S bytes.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "foreflow/base/nth.h"
#include "support/collective_tasks.h"

namespace foreflow::collective::collective_formulas_test {
namespace {

using test::in_nodes_of;
using test::Ports;

const Bytes kBytes(48e6);

Task task_of(const AlgorithmDef& algorithm, Kind kind, const std::vector<int>& node, int devices_per_nic = 1) {
  Ports ports;
  ports.devices_per_nic = devices_per_nic;
  ports.in_switch       = true;
  return test::placed_on(test::cluster(node, ports), algorithm, kind, kBytes).task;
}

int lg(int n) { return static_cast<int>(std::ceil(std::log2(n))); }           // rounded up
int power(int n) { return 1 << static_cast<int>(std::floor(std::log2(n))); }  // not above n

// Latencies, and the share of S at the busiest port, when all links are equal.
struct Formula {
  const char* algorithm;
  Kind kind;
  std::function<double(int)> steps, volume;
};

const double kNever = -1;  // no power of two
double others(int n) { return (n - 1.0) / n; }
double bruck(int n) {
  double blocks = 0;
  for (int bit = 1; bit < n; bit *= 2) {
    for (int i = 0; i < n; ++i) blocks += (i & bit) != 0 ? 1 : 0;
  }
  return blocks / n;
}

std::vector<Formula> formulas() {
  const auto rest     = [](int n) { return n - 1.0; };
  const auto logs     = [](int n) { return 1.0 * lg(n); };
  const auto one      = [](int) { return 1.0; };
  const auto if_power = [](double (*value)(int)) {
    return [value](int n) { return power(n) == n ? value(n) : kNever; };
  };
  return {
      {"ring", Kind::all_reduce, [](int n) { return 2.0 * (n - 1); }, [](int n) { return 2 * others(n); }},
      {"ring", Kind::reduce_scatter, rest, others},
      {"ring", Kind::all_gather, rest, others},
      {"direct", Kind::reduce_scatter, one, others},
      {"direct", Kind::all_gather, one, others},
      {"direct", Kind::all_to_all, one, others},
      {"direct", Kind::gather, one, others},
      {"direct", Kind::scatter, one, others},
      {"direct", Kind::shift, one, one},
      {"pairwise", Kind::all_to_all, rest, others},
      {"bruck", Kind::all_to_all, logs, bruck},
      {"binomial", Kind::broadcast, logs, logs},
      {"binomial", Kind::reduce, logs, logs},
      {"binomial", Kind::gather, logs, others},
      {"binomial", Kind::scatter, logs, others},
      {"van_de_geijn", Kind::broadcast, [](int n) { return lg(n) + n - 1.0; }, [](int n) { return 2 * others(n); }},
      {"recursive", Kind::reduce_scatter, if_power([](int n) { return 1.0 * lg(n); }), if_power(others)},
      {"recursive", Kind::all_gather, if_power([](int n) { return 1.0 * lg(n); }), if_power(others)},
      // Folding costs two messages of S beyond those of the power of two below.
      {"halving_doubling", Kind::all_reduce, [](int n) { return 2.0 * lg(power(n)) + (power(n) == n ? 0 : 2); },
       [](int n) { return 2 * others(power(n)) + (power(n) == n ? 0 : 2); }},
      // Each tree carries S/2; the busiest rank has two neighbours, three or four in both trees together.
      {"tree", Kind::all_reduce, [](int n) { return 2.0 * lg(n); },
       [](int n) { return n == 2   ? 1
                          : n == 3 ? 1.5
                                   : 2; }},
  };
}

TEST(CollectiveFormulas, HoldWithOneRankANode) {
  for (const Formula& formula : formulas()) {
    const AlgorithmDef& algorithm = algorithms().get(formula.algorithm, "test");
    for (int n = 2; n <= 17; ++n) {
      SCOPED_TRACE(std::string(formula.algorithm) + " " + std::string(name(formula.kind)) + " of " + std::to_string(n));
      const Task task = task_of(algorithm, formula.kind, in_nodes_of(1, n));
      ASSERT_EQ(algorithm.supports_task(task), formula.steps(n) != kNever);
      if (!algorithm.supports_task(task)) continue;
      const Cost cost = closed_form(algorithm, task);
      EXPECT_NEAR(cost.latency.value(), formula.steps(n) * 14e-6, 1e-15);
      EXPECT_NEAR(cost.transfer.value(), formula.volume(n) * (kBytes / task.far.bandwidth).value(), 1e-12);
    }
  }
}

// (n - 2 + K)(alpha + S beta / K) with the K that the plan has, which is the integer nearest to the best.
TEST(CollectiveFormulas, ChainsFillTheirPipelineOnce) {
  const AlgorithmDef& chain = algorithms().get("chain", "test");
  for (const Kind kind : {Kind::broadcast, Kind::reduce}) {
    for (int n = 3; n <= 17; ++n) {
      const Task task   = task_of(chain, kind, in_nodes_of(1, n));
      const double beta = 1 / task.far.bandwidth.value(), alpha = 14e-6, size = kBytes.value();
      const auto formula = [&](double k) { return (n - 2 + k) * (alpha + size * beta / k); };
      const int k        = chain.plan(task).chunks;
      EXPECT_NEAR(closed_form(chain, task).total().value(), formula(k), 1e-12);
      EXPECT_LE(formula(k), formula(k + 1) + 1e-15);
      EXPECT_LE(formula(k), formula(k - 1) + 1e-15);
    }
  }
}

// Ports of 300 GB/s and 3 us inside, 25 GB/s and 14 us for each NIC.
TEST(CollectiveFormulas, HoldForTwoDimensions) {
  const double near = 1 / 300e9, far = 1 / 25e9, size = kBytes.value();
  for (const auto& [N, G] : std::vector<std::pair<int, int>>{{2, 2}, {2, 4}, {4, 4}, {3, 5}, {2, 8}}) {
    for (const int ranks_per_nic : {1, 2, 99}) {
      SCOPED_TRACE(std::to_string(N) + " nodes of " + std::to_string(G) + ", a NIC for " +
                   std::to_string(ranks_per_nic));
      const double share = std::min(ranks_per_nic, G);
      const auto nodes   = in_nodes_of(G, N * G);
      const auto cost    = [&nodes, ranks_per_nic](const char* algorithm, Kind kind) {
        const AlgorithmDef& row = algorithms().get(algorithm, "test");
        return closed_form(row, task_of(row, kind, nodes, ranks_per_nic));
      };
      const double inside = 2 * size * (G - 1) / G * near;
      EXPECT_NEAR(cost("hierarchical", Kind::all_reduce).latency.value(), 2 * (G - 1) * 3e-6 + 2 * (N - 1) * 14e-6,
                  1e-12);
      EXPECT_NEAR(cost("hierarchical", Kind::all_reduce).transfer.value(),
                  inside + 2 * size / G * (N - 1) / N * far * share, 1e-12);
      EXPECT_NEAR(cost("sharp", Kind::all_reduce).latency.value(), 2 * (G - 1) * 3e-6 + 14e-6, 1e-12);
      EXPECT_NEAR(cost("sharp", Kind::all_reduce).transfer.value(), inside + size / G * far * share, 1e-12);
      EXPECT_NEAR(cost("hierarchical", Kind::all_to_all).transfer.value(),
                  size * (G - 1) / G * near + size * (N - 1) / N * far * share, 1e-12);
    }
  }
}

// A channel for each NIC: 2 S (n-1)/n leave a node over all of them together.
TEST(CollectiveFormulas, RingsUseAllRails) {
  const AlgorithmDef& ring = algorithms().get("ring", "test");
  for (const auto& [N, G] : std::vector<std::pair<int, int>>{{2, 2}, {2, 4}, {4, 4}, {3, 5}, {2, 8}}) {
    const int n      = N * G;
    const double far = 2 * kBytes.value() * (n - 1) / n / G / 25e9, near = far * (G - 1) * 25 / 300;
    const Cost cost = closed_form(ring, task_of(ring, Kind::all_reduce, in_nodes_of(G, n)));
    EXPECT_NEAR(cost.transfer.value(), std::max(far, near), 1e-12) << N << " nodes of " << G;
    // The longest way of a chunk, 2 (n-1) hops, leaves out two of those inside nodes; with nodes of two, one of each.
    const int between = 2 * N - (G == 2 ? 1 : 0);
    EXPECT_NEAR(cost.latency.value(), between * 14e-6 + (2 * (n - 1) - between) * 3e-6, 1e-12);
  }
}

TEST(CollectiveFormulas, HoldInTheSwitchOfANode) {
  const AlgorithmDef& nvls = algorithms().get("nvls", "test");
  for (int n = 2; n <= 17; ++n) {
    const Task task = task_of(nvls, Kind::all_reduce, in_nodes_of(n, n));
    EXPECT_NEAR(closed_form(nvls, task).transfer.value(), kBytes.value() * (1 + 1.0 / n) / 300e9, 1e-12);
    // Out of a rank: its part of every sum (its own as well), and its sum once for all; the switch copies it.
    const Plan plan = nvls.plan(task);
    int parts = 1, sums = 0;
    for (const Transfer& one : plan.steps[0]) parts += one.from == 0 ? 1 : 0;
    for (const Transfer& one : plan.steps[1]) sums = one.from == 0 ? 1 : sums;
    EXPECT_DOUBLE_EQ((parts + sums) * chunk_share(plan, Kind::all_reduce, n), 1 + 1.0 / n);
  }
}

// The share of S that leaves the busiest node, over all its NICs.
double leaves_a_node(const char* algorithm, Kind kind, int N, int G) {
  const AlgorithmDef& row = algorithms().get(algorithm, "test");
  const Task task         = task_of(row, kind, in_nodes_of(G, N * G));
  std::map<int, double> out;
  double most = 0;
  for (const Phase& phase : row.flows(task).phases) {
    for (const Flow& flow : phase.flows) {
      const int from = flow.from / G;
      if (from != flow.to / G) most = std::max(most, out[from] += flow.share);
    }
  }
  return most;
}

TEST(CollectiveFormulas, CountWhatLeavesANode) {
  for (const auto& [N, G] : std::vector<std::pair<int, int>>{{2, 4}, {4, 4}, {4, 8}}) {
    SCOPED_TRACE(std::to_string(N) + " nodes of " + std::to_string(G));
    const double n = N * G;
    EXPECT_NEAR(leaves_a_node("ring", Kind::all_reduce, N, G), 2 * (n - 1) / n, 1e-12);
    EXPECT_NEAR(leaves_a_node("hierarchical", Kind::all_reduce, N, G), 2.0 * (N - 1) / N, 1e-12);
    EXPECT_NEAR(leaves_a_node("halving_doubling", Kind::all_reduce, N, G), 2.0 * (N - 1) / N, 1e-12);
    EXPECT_NEAR(leaves_a_node("sharp", Kind::all_reduce, N, G), 1, 1e-12);
    EXPECT_NEAR(leaves_a_node("tree", Kind::all_reduce, N, G), N == 2 ? 1 : 2, 1e-12);
    EXPECT_NEAR(leaves_a_node("binomial", Kind::broadcast, N, G), std::log2(N), 1e-12);
    EXPECT_NEAR(leaves_a_node("van_de_geijn", Kind::broadcast, N, G), (N - 1.0) / N + (n - 1) / n, 1e-12);
    EXPECT_NEAR(leaves_a_node("chain", Kind::broadcast, N, G), 1, 1e-12);
    EXPECT_NEAR(leaves_a_node("pairwise", Kind::all_to_all, N, G), 1.0 * G * (N - 1) / N, 1e-12);
    EXPECT_NEAR(leaves_a_node("hierarchical", Kind::all_to_all, N, G), 1.0 * G * (N - 1) / N, 1e-12);
  }
  EXPECT_NEAR(leaves_a_node("bruck", Kind::all_to_all, 2, 4), 3.5, 1e-12);
  EXPECT_NEAR(leaves_a_node("bruck", Kind::all_to_all, 4, 8), 11.5, 1e-12);
}

// Five nodes: 1.5, 1, 2, 2 and 1.5 times S.
TEST(CollectiveFormulas, DoubleBinaryTreesLoadAlmostAllNodesAlike) {
  const AlgorithmDef& tree = algorithms().get("tree", "test");
  std::vector<double> out(5);
  const FlowPlan plan = tree.flows(task_of(tree, Kind::all_reduce, in_nodes_of(1, 5)));
  for (const Flow& flow : plan.phases.front().flows) nth(out, flow.from) += flow.share;
  EXPECT_EQ(out, (std::vector<double>{1.5, 1, 2, 2, 1.5}));
}

// k stripes: S/k over each NIC, S (k-1)/k between each end and the devices beside it.
TEST(CollectiveFormulas, StripesUseAllRails) {
  const AlgorithmDef& striped = algorithms().get("striped", "test");
  for (const int G : {2, 4, 8}) {
    const Task task = task_of(striped, Kind::send, in_nodes_of(G, 2 * G));
    const int k     = G - 1;  // the ends are 0 and 2G - 1: each of them takes the NIC of a pair
    ASSERT_EQ(striped.supports_task(task), k > 1) << G;
    if (k < 2) continue;
    EXPECT_EQ(task.group.relays, 2 * (k - 1));
    const double near = (k - 1.0) / k / 300e9, far = 1.0 / k / 25e9;
    EXPECT_NEAR(closed_form(striped, task).transfer.value(), kBytes.value() * std::max(near, far), 1e-12);
    EXPECT_NEAR(closed_form(striped, task).latency.value(), 2 * 3e-6 + 14e-6, 1e-15);
  }
}

}  // namespace
}  // namespace foreflow::collective::collective_formulas_test
