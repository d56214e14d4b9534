// One collective among 1024 ranks on 128 loaded DGX A100, from its program to its timeline: rings, routes, flows, time.
#include <benchmark/benchmark.h>

#include "foreflow/platform/load.h"
#include "foreflow/simulate/simulate.h"

namespace {

using namespace foreflow;

const platform::Platform& machine() {
  static const platform::Platform loaded = platform::make(platform::topologies().get("dgx_a100", "bench"), 128);
  return loaded;
}

stream::Program program_of(const collective::AlgorithmDef& algorithm, size_t stride) {
  stream::Program program;
  program.memory_effects.push_back({Bytes(0), Bytes(0)});
  program.communications.push_back({"all_reduce", collective::Kind::all_reduce, &algorithm, Bytes(64e6)});
  std::vector<int32_t> members;
  for (size_t place = 0; place < machine().devices().size(); place += stride) {
    const auto rank = static_cast<int>(program.devices.size());
    program.devices.push_back({rank, static_cast<int>(place), Bytes(0)});
    program.streams.push_back({"D", rank, {{0, 0, 0}}});
    members.push_back(rank);
  }
  program.instances.push_back({0, std::move(members)});
  return program;
}

void all_reduce(benchmark::State& state, const std::string& algorithm, const std::string& engine, size_t stride) {
  const auto program = program_of(collective::algorithms().get(algorithm, "bench"), stride);
  const auto& row    = simulate::engines().get(engine, "bench");
  double time        = 0;
  for (auto _ : state) time = row.run(program, machine()).makespan.value();
  state.counters["ranks"]       = static_cast<double>(program.streams.size());
  state.counters["simulated_s"] = time;
}

BENCHMARK_CAPTURE(all_reduce, ring_analytic, "ring", "analytic", 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_reduce, ring_simgrid, "ring", "simgrid", 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_reduce, rail_simgrid, "ring", "simgrid", 8)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_reduce, tree_analytic, "tree", "analytic", 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_reduce, auto_analytic, "auto", "analytic", 1)->Unit(benchmark::kMillisecond);

}  // namespace
