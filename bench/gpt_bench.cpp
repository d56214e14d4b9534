// Large models: the 175B GPT-2 graph (20,305 nodes) as ONNX, and training on many devices.
#include <benchmark/benchmark.h>

#include "foreflow/onnx/gpt2_graph.h"
#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "points.h"

namespace {

using namespace foreflow;

std::string graph_175b() { return onnx::write_gpt2({96, 96, 12288, 50257, 1024}); }

void rate(benchmark::State& state, double ops) {
  state.counters["ops"]   = ops;
  state.counters["ops/s"] = benchmark::Counter(ops, benchmark::Counter::kIsIterationInvariantRate);
}

void write_onnx(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(graph_175b().size());
}

void import_onnx(benchmark::State& state) {
  const std::string bytes = graph_175b();
  int64_t nodes           = 0;
  for (auto _ : state) nodes = onnx::import_bytes(bytes, "bench", ops::table(), onnx::Numbers::skip).nodes;
  rate(state, static_cast<double>(nodes));
}

// Import, shapes of every value, shape arithmetic resolved.
void build_graph(benchmark::State& state) {
  const scenario::Scenario scenario = bench::gpt_175b();
  double ops                        = 0;
  for (auto _ : state) ops = static_cast<double>(scenario::build(scenario).module.entry().ops.size());
  rate(state, ops);
}

void infer_graph(benchmark::State& state) {
  const ir::Module module = scenario::build(bench::gpt_175b()).module;
  for (auto _ : state)
    benchmark::DoNotOptimize(interpret::interpret_mixed(module, module.functions.size() - 1).instances.size());
  rate(state, static_cast<double>(module.entry().ops.size()));
}

// From the scenario to the summary.
void train(benchmark::State& state, const std::string& engine) {
  const scenario::Scenario scenario    = bench::gpt_training(static_cast<int>(state.range(0)) / 8,
                                                             {static_cast<int>(state.range(0)) / 64, 8, 8, 32}, engine);
  const scenario::PlatformRef platform = scenario::load_platform(scenario.platform);
  for (auto _ : state)
    benchmark::DoNotOptimize(scenario::run(scenario, scenario::build(scenario), platform).timeline.makespan);
  rate(state, bench::executed_ops(scenario::distribute(scenario::build(scenario), scenario, *platform)));
}

BENCHMARK(write_onnx)->Unit(benchmark::kMillisecond);
BENCHMARK(import_onnx)->Unit(benchmark::kMillisecond);
BENCHMARK(build_graph)->Unit(benchmark::kMillisecond);
BENCHMARK(infer_graph)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(train, analytic, "analytic")
    ->Arg(64)
    ->Arg(256)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(train, simgrid, "simgrid")
    ->Arg(64)
    ->Arg(256)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
