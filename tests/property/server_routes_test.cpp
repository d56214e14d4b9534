// Routes between random servers, of several NICs and trees of PCIe switches, against an exhaustive search by the rules:
// out of the own server, through switches that are in none, into the other server; never through a device.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/platform/link_kinds.h"
#include "foreflow/platform/load.h"
#include "support/graph_text.h"

namespace foreflow::platform::server_routes_test {
namespace {

using test::GraphText;

int pick(std::mt19937_64& random, int below) { return static_cast<int>(random() % static_cast<uint64_t>(below)); }

std::string latency(std::mt19937_64& random) { return fmt::format("{}ns", 100 * (1 + pick(random, 9))); }

// Names begin with the server: "s0-...". Switches between servers are "core0", ....
class RandomCluster {
 public:
  explicit RandomCluster(uint64_t seed) : random_(seed) {}

  std::string write() {
    const int servers = 2 + pick(random_, 3), cores = 1 + pick(random_, 5);
    for (int i = 0; i < cores; ++i) text_.router(fmt::format("core{}", i));
    for (int s = 0; s < servers; ++s) add_server(fmt::format("s{}", s), cores);
    for (int i = 1; i < cores; ++i) cable(fmt::format("core{}", i), fmt::format("core{}", pick(random_, i)), "fabric");
    for (int i = 2; i < cores; ++i) cable(fmt::format("core{}", i), fmt::format("core{}", pick(random_, i)), "fabric");
    if (pick(random_, 3) == 0) cable("s0-p0", "s1-p0", "nic");
    return text_.xml();
  }

 private:
  void add_server(const std::string& name, int cores) {
    const int gpus = 1 + pick(random_, 4), switches = 1 + pick(random_, 4), nics = 1 + pick(random_, 3);
    for (int i = 0; i < gpus; ++i) text_.device(fmt::format("{}-g{}", name, i), name);
    for (int i = 0; i < switches; ++i) text_.router(fmt::format("{}-p{}", name, i));
    for (int i = 1; i < switches; ++i)
      cable(fmt::format("{}-p{}", name, i), fmt::format("{}-p{}", name, pick(random_, i)), "host");
    for (int i = 0; i < gpus; ++i)
      cable(fmt::format("{}-g{}", name, i), fmt::format("{}-p{}", name, pick(random_, switches)), "pcie");
    for (int i = 1; i < gpus; ++i) {
      if (pick(random_, 2) == 0)
        cable(fmt::format("{}-g{}", name, i), fmt::format("{}-g{}", name, pick(random_, i)), "nvlink");
    }
    for (int i = 0; i < nics; ++i)
      cable(fmt::format("{}-p{}", name, pick(random_, switches)), fmt::format("core{}", pick(random_, cores)), "nic");
  }

  // Two vertices have one cable at most.
  void cable(const std::string& from, const std::string& to, const std::string& kind) {
    if (!cabled_.insert(std::minmax(from, to)).second) return;
    text_.cable(from, to, kind, 1 + pick(random_, 2), "1GBps", latency(random_));
  }

  std::mt19937_64 random_;
  GraphText text_;
  std::set<std::pair<std::string, std::string>> cabled_;
};

struct Length {
  long to_hosts                         = std::numeric_limits<long>::max();  // links between devices and their hosts
  long tenths                           = 0;                                 // tenths of a microsecond
  size_t links                          = 0;
  auto operator<=>(const Length&) const = default;
};

// Relaxes all cables until nothing gets shorter (Bellman 1958), in phases: 0 in the server of `from`, 1 between
// servers, 2 in the server of `to`.
class Search {
 public:
  Search(const Platform& platform, int from, int to)
      : platform_(platform), graph_(*platform.graph()), from_(from), to_(to), best_(3 * graph_.vertices.size()) {}

  Length run() {
    at(from_, 0) = {0, 0, 0};
    if (server(from_) == server(to_)) {
      relax_all({0});
      if (at(to_, 0) != Length()) return at(to_, 0);
    }
    relax_all({0, 1, 2});
    return at(to_, 2);
  }

 private:
  Length& at(int vertex, int phase) { return best_[3 * static_cast<size_t>(vertex) + static_cast<size_t>(phase)]; }
  std::string server(int vertex) const {
    const std::string& name = nth(graph_.vertices, vertex).name;
    return name.substr(0, name.find('-') + 1);  // "" of a core
  }

  void relax_all(const std::set<int>& phases) {
    for (size_t round = 0; round < best_.size(); ++round) {
      for (const Edge& edge : graph_.edges) {
        relax(edge.a, edge.b, edge.forth, phases);
        relax(edge.b, edge.a, edge.back, phases);
      }
    }
  }

  void relax(int a, int b, const std::vector<int>& links, const std::set<int>& phases) {
    const bool passes_device  = a != from_ && nth(graph_.vertices, a).device >= 0;
    const bool ends_in_device = b != to_ && nth(graph_.vertices, b).device >= 0;
    if (passes_device || ends_in_device) return;
    for (int phase = 0; phase < 3; ++phase) {
      const Length here = at(a, phase);
      const int next    = phase_of(a, b, phase);
      if (here == Length() || next < 0 || !phases.contains(next)) continue;
      Length there = {here.to_hosts + leads_to_host(a, b, links), here.tenths, here.links + links.size()};
      for (const int link : links) there.tenths += std::lround(nth(platform_.links(), link).latency.value() * 1e7);
      at(b, next) = std::min(at(b, next), there);
    }
  }

  // 1 if the cable is inside a server, ends at a device, and does not join accelerators alone.
  long leads_to_host(int a, int b, const std::vector<int>& links) const {
    const bool ends_at_device = nth(graph_.vertices, a).device >= 0 || nth(graph_.vertices, b).device >= 0;
    const bool joins          = std::all_of(links.begin(), links.end(),
                                            [&](int link) { return joins_accelerators(nth(platform_.links(), link).kind); });
    return !server(a).empty() && server(a) == server(b) && ends_at_device && !joins ? 1 : 0;
  }

  // In which phase one is at `b`, coming from `a`; -1: not allowed.
  int phase_of(int a, int b, int phase) const {
    if (!server(a).empty() && server(a) == server(b)) return phase;
    if (server(b).empty()) return phase == 2 ? -1 : 1;
    return server(b) == server(to_) && phase < 2 ? 2 : -1;
  }

  const Platform& platform_;
  const Graph& graph_;
  int from_, to_;
  std::vector<Length> best_;
};

class RandomServers : public testing::TestWithParam<uint64_t> {};

TEST_P(RandomServers, AreJoinedByTheShortestWaysThatTheRulesAllow) {
  const Platform platform = load(RandomCluster(GetParam()).write(), "cluster");
  const int count         = static_cast<int>(platform.devices().size());
  for (int from = 0; from < count; ++from) {
    for (int to = 0; to < count; ++to) {
      if (from == to) continue;
      const Route route      = platform.route(from, to);
      const Length expected  = Search(platform, from, to).run();
      const std::string pair = nth(platform.devices(), from).name + " to " + nth(platform.devices(), to).name;
      EXPECT_EQ(std::lround(route.latency.value() * 1e7), expected.tenths) << pair;
      EXPECT_EQ(route.links.size(), expected.links) << pair;
      EXPECT_EQ(std::set<int>(route.links.begin(), route.links.end()).size(), route.links.size()) << pair;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomServers, testing::Range<uint64_t>(0, 100));

}  // namespace
}  // namespace foreflow::platform::server_routes_test
