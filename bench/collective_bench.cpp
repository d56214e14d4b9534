// One collective among 1024 ranks on 128 loaded DGX A100, from its algorithm to its time.
#include <benchmark/benchmark.h>

#include "foreflow/platform/load.h"
#include "foreflow/simulate/alone.h"

namespace {

using namespace foreflow;

const platform::Platform& machine() {
  static const platform::Platform loaded = platform::make(platform::topologies().get("dgx_a100", "bench"), 128);
  return loaded;
}

void all_reduce(benchmark::State& state, const std::string& algorithm, const std::string& engine, size_t stride) {
  std::vector<int> places;
  for (size_t i = 0; i < machine().devices().size(); i += stride) places.push_back(static_cast<int>(i));
  const auto& row = collective::algorithms().get(algorithm, "bench");
  double time     = 0;
  for (auto _ : state) {
    time = simulate::run_alone(machine(), row, collective::Kind::all_reduce, Bytes(64e6), places,
                               simulate::engines().get(engine, "bench"))
               .time.value();
  }
  state.counters["ranks"]       = static_cast<double>(places.size());
  state.counters["simulated_s"] = time;
}

BENCHMARK_CAPTURE(all_reduce, ring_analytic, "ring", "analytic", 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_reduce, ring_simgrid, "ring", "simgrid", 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_reduce, rail_simgrid, "ring", "simgrid", 8)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_reduce, tree_analytic, "tree", "analytic", 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_reduce, auto_analytic, "auto", "analytic", 1)->Unit(benchmark::kMillisecond);

}  // namespace
