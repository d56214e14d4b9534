// The DistIR authors' grid of 75 strategies for MLP 1B on 16 devices, from the workload to every timeline. Their
// simulator takes 88 CPU-seconds for it (1,154,748 ops).
#include <benchmark/benchmark.h>

#include "points.h"

namespace {

using namespace foreflow;

void grid(benchmark::State& state) {
  const scenario::PlatformRef platform = scenario::load_platform(bench::mlp_1b({}).platform);
  double ops                           = 0;
  for (auto _ : state) {
    ops = 0;
    for (const bench::Degrees& degrees : bench::grid_of_16()) {
      const scenario::Scenario scenario = bench::mlp_1b(degrees);
      const ir::Module module           = scenario::distribute(scenario::build(scenario), scenario, *platform);
      const auto interpretation         = interpret::interpret_mixed(module, module.functions.size() - 1);
      const stream::Program program     = lower::lower(module, interpretation, scenario.cost, *platform).program();
      benchmark::DoNotOptimize(scenario.engine->run(program, *platform).makespan);
      ops += bench::executed_ops(module);
    }
  }
  state.counters["points"] = static_cast<double>(bench::grid_of_16().size());
  state.counters["ops"]    = ops;
  state.counters["ops/s"]  = benchmark::Counter(ops, benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK(grid)->Unit(benchmark::kMillisecond);

}  // namespace
