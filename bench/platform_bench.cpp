// Platforms by rule: making them from recipes, routes, and what a pass over the kinds of all links costs. Then
// loading a platform in graph form and finding routes in it: servers of 8 GPUs on NVSwitch with a NIC for each, GPU i
// of all servers on rail i. A rail has leaves of 32 ports down and 32 up; the spines join all leaves of all rails, and
// the cores all spines.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <iterator>

#include "foreflow/platform/describe.h"
#include "foreflow/platform/load.h"

namespace {

using namespace foreflow;

constexpr int kGpus = 8;

class Cluster {
 public:
  std::string write(int nodes) {
    const int pods = (nodes + kDown - 1) / kDown;  // of 32 servers, 8 leaves and 32 spines
    for (int n = 0; n < nodes; ++n) write_node(n);
    for (int pod = 0; pod < pods; ++pod) write_pod(pod);
    for (int core = 0; core < kDown * kGpus; ++core) put(vertices_, "<router id=\"core{}\"/>\n", core);
    return "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n"
           "<zone id=\"cluster\" routing=\"Dijkstra\">\n" +
           vertices_ + links_ + routes_ + "</zone>\n</platform>\n";
  }

 private:
  static constexpr int kDown = 32;

  template <class... Values>
  static void put(std::string& text, fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(text), form, std::forward<Values>(values)...);
  }

  void write_node(int n) {
    put(vertices_, "<router id=\"node{}-nvswitch\"/>\n", n);
    for (int g = 0; g < kGpus; ++g) {
      const std::string gpu = fmt::format("node{}-gpu{}", n, g), nic = fmt::format("node{}-pcie{}", n, g);
      put(vertices_,
          "<host id=\"{}\" speed=\"67Tf\"><prop id=\"kind\" value=\"H100-SXM5-80GB\"/><prop id=\"node\" "
          "value=\"node{}\"/><prop id=\"memory\" value=\"80GB\"/><prop id=\"memory_bandwidth\" value=\"3.35TBps\"/>"
          "<prop id=\"launch\" value=\"5us\"/><prop id=\"peak_f32\" value=\"67Tf\"/><prop id=\"peak_bf16\" "
          "value=\"989Tf\"/></host>\n<router id=\"{}\"/>\n",
          gpu, n, nic);
      cable(gpu, fmt::format("node{}-nvswitch", n), "nvlink", "450GBps", "1us");
      cable(gpu, nic, "pcie", "63GBps", "1us");
      cable(nic, fmt::format("leaf{}", n / kDown * kGpus + g), "nic", "50GBps", "2us");
    }
  }

  void write_pod(int pod) {
    for (int leaf = 0; leaf < kGpus; ++leaf) put(vertices_, "<router id=\"leaf{}\"/>\n", pod * kGpus + leaf);
    for (int s = 0; s < kDown; ++s) {
      const std::string spine = fmt::format("spine{}", pod * kDown + s);
      put(vertices_, "<router id=\"{}\"/>\n", spine);
      for (int leaf = 0; leaf < kGpus; ++leaf)
        cable(fmt::format("leaf{}", pod * kGpus + leaf), spine, "fabric", "50GBps", "150ns");
      for (int up = 0; up < kGpus; ++up)
        cable(spine, fmt::format("core{}", s * kGpus + up), "fabric", "50GBps", "150ns");
    }
  }

  void cable(const std::string& from, const std::string& to, const char* kind, const char* bandwidth,
             const char* latency) {
    put(links_,
        "<link id=\"{0}-{1}\" bandwidth=\"{3}\" latency=\"{4}\" sharing_policy=\"SPLITDUPLEX\"><prop id=\"kind\" "
        "value=\"{2}\"/></link>\n",
        from, to, kind, bandwidth, latency);
    put(routes_, "<route src=\"{0}\" dst=\"{1}\"><link_ctn id=\"{0}-{1}\" direction=\"UP\"/></route>\n", from, to);
  }

  std::string vertices_, links_, routes_;
};

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// So many H100 on rails, or under three levels of switches beyond 16,384.
platform::Recipe recipe_of(int64_t devices) {
  const std::string fabric = devices > 16384 ? "fat_tree3" : "rail_optimized";
  const Json json = Json::object().set("topology", "dgx_h100").set("nodes", devices / kGpus).set("fabric", fabric);
  return platform::read_recipe(JsonView(json, "bench"));
}

void platform_make(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(platform::make(recipe_of(state.range(0))).devices().size());
  state.counters["peak MB"] = peak_megabytes();
}

// From every 61st GPU to one of another server; nothing is remembered from route to route.
void platform_routes(benchmark::State& state) {
  const platform::Platform platform = platform::make(recipe_of(state.range(0)));
  const int count                   = static_cast<int>(platform.devices().size());
  size_t crossed                    = 0;
  int64_t routes                    = 0;
  for (auto _ : state) {
    for (int from = 0; from < count; from += 61, ++routes)
      crossed += platform.route(from, (from + count / 2 + kGpus) % count).links.size();
  }
  benchmark::DoNotOptimize(crossed);
  state.counters["routes/s"] = benchmark::Counter(static_cast<double>(routes), benchmark::Counter::kIsRate);
  state.counters["peak MB"]  = peak_megabytes();
}

void platform_kinds(benchmark::State& state) {
  const platform::Platform platform = platform::make(recipe_of(state.range(0)));
  int kinds                         = 0;
  for (auto _ : state) {
    for (int link = 0; link < static_cast<int>(platform.links().size()); ++link) kinds += platform.link_kind(link);
  }
  benchmark::DoNotOptimize(kinds);
  state.counters["links"]   = static_cast<double>(platform.links().size());
  state.counters["peak MB"] = peak_megabytes();
}

// The peak is that of the whole program so far: run one size alone to read it.
void platform_load(benchmark::State& state) {
  const std::string xml = Cluster().write(static_cast<int>(state.range(0)) / kGpus);
  for (auto _ : state) benchmark::DoNotOptimize(platform::load(xml, "cluster").devices().size());
  state.counters["file MB"] = static_cast<double>(xml.size()) / 1e6;
  state.counters["peak MB"] = peak_megabytes();
}

// Every GPU sends to the same GPU of the next server, as a ring over rails does; nothing is known at first.
void platform_rings(benchmark::State& state) {
  const platform::Platform platform =
      platform::load(Cluster().write(static_cast<int>(state.range(0)) / kGpus), "cluster");
  const int count = static_cast<int>(platform.devices().size());
  size_t crossed  = 0;
  for (auto _ : state) {
    for (int from = 0; from < count; ++from) crossed += platform.route(from, (from + kGpus) % count).links.size();
  }
  benchmark::DoNotOptimize(crossed);
  state.counters["routes/s"] = benchmark::Counter(count, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["peak MB"]  = peak_megabytes();
}

void platform_bisection(benchmark::State& state) {
  const platform::Platform platform =
      platform::load(Cluster().write(static_cast<int>(state.range(0)) / kGpus), "cluster");
  for (auto _ : state) state.counters["GB/s"] = platform::bisection_bandwidth(platform).value() / 1e9;
}

BENCHMARK(platform_make)->Arg(1024)->Arg(16384)->Arg(131072)->Unit(benchmark::kMillisecond);
BENCHMARK(platform_routes)->Arg(1024)->Arg(16384)->Arg(131072)->Unit(benchmark::kMillisecond);
BENCHMARK(platform_kinds)->Arg(1024)->Arg(16384)->Arg(131072)->Unit(benchmark::kMillisecond);
BENCHMARK(platform_load)->Arg(1024)->Arg(16384)->Unit(benchmark::kMillisecond);
BENCHMARK(platform_bisection)->Arg(1024)->Arg(16384)->Unit(benchmark::kMillisecond);
BENCHMARK(platform_rings)->Arg(1024)->Arg(16384)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
