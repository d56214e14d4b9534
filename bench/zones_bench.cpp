// Platform files of SimGrid: loading a cluster of 16,384 hosts of every topology, which are held by rule, and a file of
// many zones; a thousand routes in each.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include "foreflow/platform/load.h"

namespace {

using namespace foreflow;

constexpr const char* kHead =
    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n";

double peak_megabytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

std::string cluster(const std::string& id, int hosts, const std::string& more) {
  return fmt::format(
      "<cluster id=\"{0}\" prefix=\"{0}-\" suffix=\".grid\" radical=\"0-{1}\" speed=\"1Gf\" bw=\"12.5GBps\" "
      "lat=\"1us\" {2}/>\n",
      id, hosts - 1, more);
}

std::string one_cluster(const std::string& more) { return kHead + cluster("c", 16384, more) + "</platform>\n"; }

// Sites of several clusters, as Grid'5000 has them.
std::string sites(int count) {
  std::string zones, links, routes;
  for (int site = 0; site < count; ++site) {
    zones += cluster(fmt::format("s{}", site), 64, "bb_bw=\"100GBps\" bb_lat=\"1us\"");
    if (site == 0) continue;
    links += fmt::format("<link id=\"l{}\" bandwidth=\"1GBps\" latency=\"1ms\"/>\n", site);
    routes += fmt::format(
        "<zoneRoute src=\"s{0}\" dst=\"s{1}\" gw_src=\"s{0}-s{0}_router.grid\" "
        "gw_dst=\"s{1}-s{1}_router.grid\"><link_ctn "
        "id=\"l{1}\"/></zoneRoute>\n",
        site - 1, site);
  }
  return std::string(kHead) + "<zone id=\"w\" routing=\"Floyd\">\n" + zones + links + routes + "</zone>\n</platform>\n";
}

void load(benchmark::State& state, const std::string& xml) {
  const double before = peak_megabytes();
  for (auto _ : state) benchmark::DoNotOptimize(platform::load(xml, "bench.xml").devices().size());
  state.counters["MB"] = peak_megabytes() - before;
}

void route(benchmark::State& state, const std::string& xml) {
  const platform::Platform platform = platform::load(xml, "bench.xml");
  const auto devices                = static_cast<int>(platform.devices().size());
  for (auto _ : state) {
    for (int i = 0; i < 1000; ++i) benchmark::DoNotOptimize(platform.route(i % devices, (i * 7919 + 1) % devices));
  }
}

BENCHMARK_CAPTURE(load, flat, one_cluster("bb_bw=\"1TBps\" bb_lat=\"1us\""));
BENCHMARK_CAPTURE(load, torus, one_cluster("topology=\"TORUS\" topo_parameters=\"32,32,16\""));
BENCHMARK_CAPTURE(load, fat_tree, one_cluster("topology=\"FAT_TREE\" topo_parameters=\"3;32,32,16;1,32,32;1,1,1\""));
BENCHMARK_CAPTURE(load, dragonfly, one_cluster("topology=\"DRAGONFLY\" topo_parameters=\"16,4;8,3;16,2;8\""));
BENCHMARK_CAPTURE(load, sites, sites(50));
BENCHMARK_CAPTURE(route, torus, one_cluster("topology=\"TORUS\" topo_parameters=\"32,32,16\""));
BENCHMARK_CAPTURE(route, fat_tree, one_cluster("topology=\"FAT_TREE\" topo_parameters=\"3;32,32,16;1,32,32;1,1,1\""));
BENCHMARK_CAPTURE(route, dragonfly, one_cluster("topology=\"DRAGONFLY\" topo_parameters=\"16,4;8,3;16,2;8\""));
BENCHMARK_CAPTURE(route, sites, sites(50));

}  // namespace
