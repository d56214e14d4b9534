// Every step from a scenario to its timeline, for MLP 1B at D2 T2 P4 K16. An item is one executed op.
#include <benchmark/benchmark.h>

#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/replica.h"
#include "foreflow/transform/tensor.h"
#include "points.h"

namespace {

using namespace foreflow;

// What each step starts from.
struct Chain {
  explicit Chain(const std::string& engine = "analytic")
      : scenario(bench::mlp_1b({2, 2, 4, 16}, engine)),
        platform(scenario::load_platform(scenario.platform)),
        sequential(scenario::build(scenario)),
        sharded(transform::shard(sequential.module, ops::table(), scenario.strategy.tp, scenario.strategy.sharding())
                    .module),
        module(scenario::distribute(sequential, scenario, *platform)),
        interpretation(interpret::interpret_mixed(module, module.functions.size() - 1)),
        program(lower::lower(module, interpretation, scenario.cost, *platform).program()) {}

  ir::Module pipelined() const {
    const scenario::Strategy& strategy = scenario.strategy;
    return transform::pipeline(sharded, ops::table(), {.schedule = strategy.schedule, .size = strategy.schedule_size})
        .module;
  }

  const scenario::Scenario scenario;
  const scenario::PlatformRef platform;
  const scenario::Sequential sequential;
  const ir::Module sharded;
  const ir::Module module;
  const interpret::MixedInterpretation interpretation;
  const stream::Program program;
};

void count(benchmark::State& state, const ir::Module& module) {
  state.counters["ops"] = bench::executed_ops(module);
  state.counters["ops/s"] =
      benchmark::Counter(bench::executed_ops(module), benchmark::Counter::kIsIterationInvariantRate);
}

void build(benchmark::State& state) {
  const Chain chain;
  for (auto _ : state) benchmark::DoNotOptimize(scenario::build(chain.scenario).samples);
  count(state, chain.sequential.module);
}

void print(benchmark::State& state) {
  const Chain chain;
  for (auto _ : state) benchmark::DoNotOptimize(ir::print(chain.module).size());
  count(state, chain.module);
}

void parse(benchmark::State& state) {
  const Chain chain;
  const std::string text = ir::print(chain.module);
  for (auto _ : state) benchmark::DoNotOptimize(ir::parse(text, "bench", ops::table()).functions.size());
  count(state, chain.module);
}

void shard(benchmark::State& state) {
  const Chain chain;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        transform::shard(chain.sequential.module, ops::table(), 2, {.results = transform::Results::leave_split})
            .module.functions.size());
  }
  count(state, chain.sequential.module);
}

void pipeline(benchmark::State& state) {
  const Chain chain;
  for (auto _ : state) benchmark::DoNotOptimize(chain.pipelined().functions.size());
  count(state, chain.pipelined());
}

void replicate(benchmark::State& state) {
  const Chain chain;
  const ir::Module module = chain.pipelined();
  for (auto _ : state)
    benchmark::DoNotOptimize(
        transform::replicate(module, ops::table(), {.ways = chain.scenario.strategy.dp}).module.functions.size());
  count(state, chain.module);
}

void distribute(benchmark::State& state) {
  const Chain chain;
  for (auto _ : state)
    benchmark::DoNotOptimize(scenario::distribute(chain.sequential, chain.scenario, *chain.platform).functions.size());
  count(state, chain.module);
}

void infer(benchmark::State& state) {
  const Chain chain;
  for (auto _ : state)
    benchmark::DoNotOptimize(
        interpret::interpret_mixed(chain.module, chain.module.functions.size() - 1).instances.size());
  count(state, chain.module);
}

void lower(benchmark::State& state) {
  const Chain chain;
  for (auto _ : state)
    benchmark::DoNotOptimize(lower::lower(chain.module, chain.interpretation, chain.scenario.cost, *chain.platform)
                                 .program()
                                 .instances.size());
  count(state, chain.module);
}

void run(benchmark::State& state, const std::string& engine) {
  const Chain chain(engine);
  for (auto _ : state) benchmark::DoNotOptimize(chain.scenario.engine->run(chain.program, *chain.platform).makespan);
  count(state, chain.module);
}

BENCHMARK(build)->Unit(benchmark::kMicrosecond);
BENCHMARK(print)->Unit(benchmark::kMicrosecond);
BENCHMARK(parse)->Unit(benchmark::kMicrosecond);
BENCHMARK(shard)->Unit(benchmark::kMicrosecond);
BENCHMARK(pipeline)->Unit(benchmark::kMicrosecond);
BENCHMARK(replicate)->Unit(benchmark::kMicrosecond);
BENCHMARK(distribute)->Unit(benchmark::kMicrosecond);
BENCHMARK(infer)->Unit(benchmark::kMicrosecond);
BENCHMARK(lower)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(run, analytic, "analytic")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(run, simgrid, "simgrid")->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
