// What a search spends on strategies that are refused: a space of 100,000 points of which none is legal, whole, and the
// refusals alone; one where only the last key decides; beside them, throwing and catching as many errors.
#include <benchmark/benchmark.h>

#include "foreflow/search/search.h"
#include "search/question.h"

namespace {

using namespace foreflow;

Json from_to(int64_t least, int64_t most) {
  Json all = Json::array();
  for (int64_t number = least; number <= most; ++number) all.push(number);
  return all;
}

// dp never divides the batch, most tp do not divide the heads.
Json all_refused() {
  Json source    = parse_json(R"({
    "workload": {"model": "gpt", "layers": 24, "hidden": 1024, "heads": 16, "sequence": 1024},
    "platform": {"topology": "dgx_a100", "nodes": 2},
    "placement": "packed",
    "strategy": {"global_batch": 64, "dp": [3, 5, 6, 7, 9, 10, 11, 12, 13, 14], "schedule": "1f1b", "virtual_stages": 1,
                 "recompute": "none", "ep": 1, "zero": 0, "sequence_parallel": false,
                 "vocabulary_parallel": false, "overlap_gradients": false, "overlap_tensor": 1}
  })",
                              "refusals");
  Json& strategy = source.member("strategy");
  strategy.set("tp", from_to(1, 10)).set("pp", from_to(1, 10)).set("microbatches", from_to(1, 100));
  return source;
}

// The batch is a prime, which no number of microbatches divides.
Json refused_last() {
  Json source = all_refused();
  source.member("strategy").set("dp", 1).set("tp", 1).set("pp", 1).set("global_batch", 999'983);
  source.member("strategy").set("microbatches", from_to(2, 100'001));
  return source;
}

void per_refusal(benchmark::State& state, size_t count) {
  state.counters["refusals"] = static_cast<double>(count);
  state.counters["each"]     = benchmark::Counter(
          static_cast<double>(count), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void refused_search(benchmark::State& state, Json (*space)()) {
  const Json source = space();
  size_t count      = 0;
  for (auto _ : state) count = search::search(source, "refusals", {}).refused;
  per_refusal(state, count);
}

void refusals(benchmark::State& state) {
  const search::Question question(all_refused(), "refusals", {});
  const std::vector<Json> points = question.space().points();
  size_t count                   = 0;
  for (auto _ : state) {
    count = 0;
    for (const Json& point : points) count += question.read(point).scenario ? 0 : 1;
  }
  per_refusal(state, count);
}

void thrown_errors(benchmark::State& state) {
  constexpr size_t kCount = 100'000;
  for (auto _ : state) {
    for (size_t i = 0; i < kCount; ++i) {
      try {
        throw Error("refusals: $.strategy.dp", "3 does not divide the global batch 64; use 1, 2, 4, 8, 16, 32 or 64");
      } catch (const Error& error) {
        benchmark::DoNotOptimize(error.what());
      }
    }
  }
  per_refusal(state, kCount);
}

BENCHMARK_CAPTURE(refused_search, early, all_refused)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(refused_search, late, refused_last)->Unit(benchmark::kMillisecond);
BENCHMARK(refusals)->Unit(benchmark::kMillisecond);
BENCHMARK(thrown_errors)->Unit(benchmark::kMillisecond);

}  // namespace
