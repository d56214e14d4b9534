// Searches: the DistIR authors' Table 1 (six models on 16 GPUs; their simulator takes 235 minutes on 56 cores), whole,
// with the first ten exact, in CPU time of all processes; and DistSim's grid of 15 strategies for BERT-exLarge (48
// layers) on 16 A10 (0.14 s in the paper), of which only what follows the lowered programs is simulation.
#include <benchmark/benchmark.h>

#include <chrono>

#include "cpu_time.h"
#include "foreflow/search/search.h"

namespace {

using namespace foreflow;
using Clock = std::chrono::steady_clock;

void table_1(benchmark::State& state, const char* model) {
  const std::string file = std::string(FOREFLOW_SOURCE_DIR "/scenarios/distir_table1/") + model + ".json";
  const Json source      = scenario::read_source(file, {});
  bench::time_cpu(state, [&] {
    const auto start             = Clock::now();
    const search::Result result  = search::search(source, file, {.jobs = 2});
    state.counters["wall_s"]     = std::chrono::duration<double>(Clock::now() - start).count();
    state.counters["points"]     = static_cast<double>(result.points);
    state.counters["evaluated"]  = static_cast<double>(result.evaluated);
    state.counters["infeasible"] = static_cast<double>(result.refused);
  });
}

constexpr const char* kFortyEightLayers = R"({
  "workload": {"model": "bert-exlarge", "dtype": "f16"},
  "platform": {"topology": "a10_pcie", "nodes": 4},
  "engine": "analytic"
})";

std::vector<scenario::Scenario> fifteen() {
  std::vector<scenario::Scenario> all;
  for (int dp = 1; dp <= 16; dp *= 2) {
    for (int tp = 1; dp * tp <= 16; tp *= 2) {
      Json strategy = Json::object();
      strategy.set("dp", dp).set("tp", tp).set("pp", 16 / dp / tp).set("microbatches", dp * tp == 16 ? 1 : 16 / dp);
      strategy.set("global_batch", 16);
      all.push_back(scenario::load(parse_json(kFortyEightLayers, "48").set("strategy", strategy), "48"));
    }
  }
  return all;
}

// From the workload to the summaries of all points.
void fifteen_strategies(benchmark::State& state) {
  const auto points   = fifteen();
  const auto platform = scenario::load_platform(points.front().platform);
  for (auto _ : state) {
    const scenario::Sequential sequential = scenario::build(points.front());
    for (const scenario::Scenario& point : points)
      benchmark::DoNotOptimize(scenario::run(point, sequential, platform).summary.iteration_time);
  }
}

// From the lowered programs to the timelines of all points.
void fifteen_simulations(benchmark::State& state) {
  const auto points   = fifteen();
  const auto platform = scenario::load_platform(points.front().platform);
  const auto built    = scenario::build(points.front());
  std::vector<stream::Program> programs;
  for (const scenario::Scenario& point : points)
    programs.push_back(scenario::lower_scenario(point, built, *platform).program());
  for (auto _ : state) {
    for (size_t i = 0; i < points.size(); ++i)
      benchmark::DoNotOptimize(points[i].engine->run(programs[i], *platform, points[i].simulation).makespan);
  }
}

#define FOREFLOW_TABLE_1(name, model) \
  BENCHMARK_CAPTURE(table_1, name, model)->UseManualTime()->Unit(benchmark::kSecond)->Iterations(1)
FOREFLOW_TABLE_1(mlp_1b, "mlp_1b");
FOREFLOW_TABLE_1(mlp_17b, "mlp_17b");
FOREFLOW_TABLE_1(mlp_103b, "mlp_103b");
FOREFLOW_TABLE_1(gpt2_1_6b, "gpt2_1.6b");
FOREFLOW_TABLE_1(gpt2_13b, "gpt2_13b");
FOREFLOW_TABLE_1(gpt2_175b, "gpt2_175b");
#undef FOREFLOW_TABLE_1
BENCHMARK(fifteen_strategies)->Unit(benchmark::kMillisecond);
BENCHMARK(fifteen_simulations)->Unit(benchmark::kMillisecond);

}  // namespace
