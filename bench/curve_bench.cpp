// What a prediction costs as machines and batches grow, while nothing new is distinct: from the scenario to the summary,
// on 8 to 131,072 GPUs, and with 8 to 4,096 microbatches.
#include <benchmark/benchmark.h>

#include "foreflow/scenario/run.h"

namespace {

using namespace foreflow;

void predict(benchmark::State& state, const std::string& text) {
  const Json json = parse_json(text, "curve");
  size_t told     = 0;
  for (auto _ : state) {
    const scenario::Outcome outcome = scenario::run(scenario::load(json, "curve"));
    benchmark::DoNotOptimize(told = outcome.summary.devices.size());
  }
  state.counters["classes"] = static_cast<double>(told);
}

void devices(benchmark::State& state) {
  const std::string gpus = std::to_string(state.range(0)), nodes = std::to_string(state.range(0) / 8);
  predict(state, R"({"workload": {"model": "llama3-8b", "dtype": "bf16", "sequence": 4096, "mode": "training",
                                  "optimizer": "adam"},
                     "platform": {"topology": "dgx_h100", "nodes": )" +
                     nodes + R"(}, "strategy": {"dp": )" + gpus + R"(, "global_batch": )" + gpus +
                     R"(, "zero": 1, "recompute": "full"}, "engine": "analytic"})");
}

void microbatches(benchmark::State& state) {
  predict(state, R"({"workload": {"model": "gpt", "layers": 16, "hidden": 1024, "heads": 16, "sequence": 1024,
                                  "vocabulary": 32000, "dtype": "f16", "mode": "training", "optimizer": "adam"},
                     "platform": {"topology": "dgx_a100", "nodes": 1},
                     "strategy": {"pp": 8, "microbatch_size": 1, "global_batch": )" +
                     std::to_string(state.range(0)) + R"(}, "engine": "analytic"})");
}

BENCHMARK(devices)->Name("curve/devices")->RangeMultiplier(4)->Range(8, 131072)->Unit(benchmark::kMillisecond);
BENCHMARK(microbatches)->Name("curve/microbatches")->RangeMultiplier(4)->Range(8, 4096)->Unit(benchmark::kMillisecond);

}  // namespace
