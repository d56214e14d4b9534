// Whole training iterations of large models: GPT-3 175B and GPT 1T on 3072 devices from the scenario file to the
// summary, with the peak of memory; and a step of 32 layers (tensor parallel in servers of eight) from the lowered
// program to its timeline.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "foreflow/interpret/mixed.h"
#include "foreflow/lower/lower.h"
#include "foreflow/scenario/run.h"

namespace {

using namespace foreflow;

// CPU time of this process and of its children, where SimGrid works; Google Benchmark sees the process alone.
double cpu_seconds() {
  double seconds = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage;
    getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime})
      seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  return seconds;
}

double peak_bytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

void file_to_summary(benchmark::State& state, const std::string& name, const std::string& engine) {
  const std::string path = std::string(FOREFLOW_SOURCE_DIR) + "/scenarios/" + name + ".json";
  for (auto _ : state) {
    const double before = cpu_seconds();
    benchmark::DoNotOptimize(scenario::run(scenario::load_file(path, {"engine=" + engine})).summary.devices.size());
    state.SetIterationTime(cpu_seconds() - before);
  }
  state.counters["peak_bytes"] = peak_bytes();
}

void step(benchmark::State& state, const std::string& engine) {
  const auto devices                   = static_cast<int>(state.range(0));
  const Json json                      = parse_json(R"({
    "workload": { "model": "gpt", "layers": 32, "hidden": 4096, "heads": 32, "sequence": 2048, "vocabulary": 51200,
                  "dtype": "f16", "mode": "training", "optimizer": "adam" },
    "platform": { "topology": "dgx_a100", "nodes": )" +
                                                        std::to_string(devices / 8) + R"( },
    "strategy": { "dp": )" + std::to_string(devices / 8) +
                                                        R"(, "tp": 8, "pp": 1, "microbatches": 1,
                  "global_batch": )" +
                                                        std::to_string(devices / 2) + R"( }, "engine": ")" + engine + R"(" })",
                                                    "step");
  const scenario::Scenario scenario    = scenario::load(json, "step");
  const scenario::PlatformRef platform = scenario::load_platform(scenario.platform);
  const ir::Module module              = scenario::distribute(scenario::build(scenario), scenario, *platform);
  const lower::Lowered lowered =
      lower::lower(module, interpret::interpret_mixed(module, module.functions.size() - 1), scenario.cost, *platform);
  for (auto _ : state) {
    const double before = cpu_seconds();
    benchmark::DoNotOptimize(scenario.engine->run(lowered.program(), *platform, scenario.simulation).makespan);
    state.SetIterationTime(cpu_seconds() - before);
  }
}

BENCHMARK_CAPTURE(file_to_summary, gpt3_175b_analytic, "gpt3_175b_3072_a100", "analytic")
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(file_to_summary, gpt3_175b_simgrid, "gpt3_175b_3072_a100", "simgrid")
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(file_to_summary, gpt_1t_analytic, "gpt_1t_3072_a100", "analytic")
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(file_to_summary, gpt_1t_simgrid, "gpt_1t_3072_a100", "simgrid")
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(step, analytic, "analytic")->Arg(64)->Arg(256)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(step, simgrid, "simgrid")->Arg(64)->Arg(256)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
