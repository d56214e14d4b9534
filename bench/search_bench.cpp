// Searches: the DistIR authors' Table 1 (six models on 16 GPUs; their simulator takes 235 minutes on 56 cores), whole,
// with the first ten exact, in CPU time of all processes; and DistSim's grid of 15 strategies for BERT-exLarge (48
// layers) on 16 A10 (0.14 s in the paper), of which only what follows the lowered programs is simulation. And what one
// more candidate costs inside a search: the median over candidates that come in families, as in a search, which asks
// for neighbours of what was good (`related`), or that have no more in common than the workload (`unrelated`).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "cpu_time.h"
#include "foreflow/search/search.h"
#include "search/question.h"

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

struct Searched {
  const char* model;
  const char* dtype;
  const char* topology;
  int nodes, global_batch;
};
constexpr Searched kLlama8bOn64   = {"llama3-8b", "bf16", "dgx_h100", 8, 256};
constexpr Searched kGpt3On1024    = {"gpt3-175b", "f16", "dgx_a100", 128, 1536};
constexpr size_t kCandidates      = 64;
constexpr size_t kRelatedInFamily = 8;

// Legal points, in families of so many that differ only in how replicas exchange gradients and weights.
std::vector<search::ReadPoint> candidates(const search::Question& question, const Searched& what, size_t in_family) {
  std::mt19937 random(7);  // equal numbers everywhere
  const auto one_of = [&](std::vector<Json> values) { return values[random() % values.size()]; };
  std::vector<search::ReadPoint> points;
  while (points.size() < kCandidates) {
    const int tp = 1 << random() % 4, pp = 1 << random() % 5, cp = random() % 4 == 0 ? 2 : 1;
    if (8 * what.nodes % (tp * pp * cp) != 0) continue;
    Json point = Json::object();
    point.set("dp", 8 * what.nodes / (tp * pp * cp)).set("tp", tp).set("pp", pp).set("cp", cp);
    point.set("microbatches", one_of({1, 2, 4, 8, 16, 32, 64})).set("global_batch", what.global_batch);
    point.set("schedule", one_of({"gpipe", "1f1b", "interleaved", "zb_h1"}));
    point.set("recompute", one_of({"none", "selective", "full"}));
    if (tp > 1) point.set("sequence_parallel", one_of({true, false}));
    for (size_t i = 0; i < in_family && points.size() < kCandidates; ++i) {
      point.set("zero", one_of({0, 1, 2, 3})).set("overlap_gradients", one_of({true, false}));
      search::ReadPoint read = question.read(point);
      if (read.scenario) points.push_back(std::move(read));
    }
  }
  return points;
}

void one_more_candidate(benchmark::State& state, const Searched& what, size_t in_family) {
  Json source = parse_json(R"({"workload": {"mode": "training", "optimizer": "adam"}, "strategy": {},
                               "cost": {"model": "roofline"}, "engine": "simgrid"})",
                           "one more");
  source.member("workload").set("model", what.model).set("dtype", what.dtype);
  source.set("platform", Json::object().set("topology", what.topology).set("nodes", what.nodes));
  const search::Question question(source, "one more", {});
  const auto points = candidates(question, what, in_family);
  std::vector<double> times;
  bench::time_cpu(state, [&] {
    search::Predictor predictor;
    predictor.prepare(*points.front().scenario);
    times.clear();
    for (const search::ReadPoint& point : points) {
      const double before = bench::cpu_seconds();
      benchmark::DoNotOptimize(predictor.predict(point).time);
      times.push_back(bench::cpu_seconds() - before);
    }
  });
  const auto middle = times.begin() + static_cast<ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  state.counters["median_ms"] = 1e3 * *middle;
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
#define FOREFLOW_ONE_MORE(name, what, in_family) \
  BENCHMARK_CAPTURE(one_more_candidate, name, what, in_family)->UseManualTime()->Unit(benchmark::kSecond)->Iterations(1)
FOREFLOW_ONE_MORE(8b_on_64_related, kLlama8bOn64, kRelatedInFamily);
FOREFLOW_ONE_MORE(8b_on_64_unrelated, kLlama8bOn64, 1);
FOREFLOW_ONE_MORE(gpt3_on_1024_related, kGpt3On1024, kRelatedInFamily);
FOREFLOW_ONE_MORE(gpt3_on_1024_unrelated, kGpt3On1024, 1);
#undef FOREFLOW_ONE_MORE

}  // namespace
