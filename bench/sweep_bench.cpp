// A sweep of 1000 networks for the training of a GPT on 128 GPUs (32 layers, 560 events a GPU), by one worker: the CPU
// time of the whole sweep, workers included, which is why it is measured here and not by the library.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "foreflow/sweep/sweep.h"

namespace {

using namespace foreflow;

constexpr const char* kQuestion = R"({
  "workload": {"model": "gpt", "layers": 32, "hidden": 4096, "heads": 32, "sequence": 2048, "vocabulary": 51200,
               "dtype": "f16"},
  "strategy": {"dp": 16, "tp": 8, "pp": 1, "global_batch": 128},
  "platform": {"topology": "dgx_a100", "nodes": 16}
})";

Json quantities(int first, int step, int count, const char* unit) {
  Json list = Json::array();
  for (int i = 0; i < count; ++i) list.push(std::to_string(first + i * step) + unit);
  return list;
}

// 10 x 10 x 10 bandwidths and latencies of two kinds of link.
Json question() {
  Json source = parse_json(kQuestion, "the benchmark");
  Json& links = source.member("platform").member("links");
  links.member("nic").set("bandwidth", quantities(5, 5, 10, "GBps")).set("latency", quantities(1, 1, 10, "us"));
  links.member("nvlink").set("bandwidth", quantities(100, 50, 10, "GBps"));
  return source;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double cpu_seconds() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    sum += seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  return sum;
}

void sweep_of_1000(benchmark::State& state, const char* engine) {
  const Json source = question().set("engine", engine);
  for (auto _ : state) {
    const double start         = cpu_seconds();
    const sweep::Result result = sweep::sweep(source, "gpt.json", {});
    state.counters["points"]   = static_cast<double>(result.points.size());
    state.SetIterationTime(cpu_seconds() - start);
  }
}

BENCHMARK_CAPTURE(sweep_of_1000, analytic, "analytic")->UseManualTime()->Unit(benchmark::kSecond)->Iterations(1);
BENCHMARK_CAPTURE(sweep_of_1000, simgrid, "simgrid")->UseManualTime()->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace
