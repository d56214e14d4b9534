// A collective algorithm of one's own: all-reduce through a parameter server. Everyone sends its whole buffer to rank
// 0, which adds them up and sends the sum back. It is timed beside the ring for several sizes, and then used by a
// training.
//
//   step 0:  1 -> 0  2 -> 0  3 -> 0   each is added
//   step 1:  0 -> 1  0 -> 2  0 -> 3
#include <iostream>
#include <numeric>

#include "foreflow/scenario/run.h"
#include "foreflow/simulate/alone.h"

namespace {

using namespace foreflow;
using collective::Kind;

// Which rank sends what to whom: one chunk, the whole buffer.
collective::Plan plan(const collective::Task& task) {
  collective::Plan result{.chunks = 1, .steps = {{}, {}}};
  for (int rank = 1; rank < task.group.ranks; ++rank) {
    result.steps[0].push_back({.from = rank, .to = 0, .chunk = 0, .reduce = true});
    result.steps[1].push_back({.from = 0, .to = rank, .chunk = 0, .reduce = false});
  }
  return result;
}

// What the network carries: the messages of a step together, one step after the other.
collective::FlowPlan flows(const collective::Task& task) { return collective::stepwise(plan(task), task); }

const collective::AlgorithmDef kParameterServer = {.name     = "parameter_server",
                                                   .doc      = "everyone sends to rank 0, which sends the sum back",
                                                   .source   = "Li et al. 2014",
                                                   .kinds    = {Kind::all_reduce},
                                                   .supports = [](Kind, const collective::Group&) { return true; },
                                                   .plan     = plan,
                                                   .flows    = flows};

Seconds alone(const platform::Platform& machine, const collective::AlgorithmDef& algorithm, Bytes bytes) {
  std::vector<int> places(machine.devices().size());
  std::iota(places.begin(), places.end(), 0);
  const auto& engine = simulate::engines().get("simgrid", "example");
  return simulate::run_alone(machine, algorithm, Kind::all_reduce, bytes, places, engine).time;
}

const char* const kTraining = R"({
  "name": "small GPT",
  "workload": {"model": "gpt", "layers": 8, "hidden": 1024, "heads": 16, "sequence": 512, "vocabulary": 32000,
               "dtype": "f16", "mode": "training", "optimizer": "adam"},
  "platform": {"topology": "dgx_a100"},
  "strategy": {"dp": 8, "global_batch": 64},
  "collective": {"all_reduce": "ring"}
})";

}  // namespace

int main() {
  scenario::Scenario training         = scenario::load(parse_json(kTraining, "training"), "training");
  const scenario::PlatformRef machine = scenario::load_platform(training.platform);

  std::cout << print(plan({.kind = Kind::all_reduce, .group = {.ranks = 4}, .bytes = {}, .near = {}, .far = {}}));
  const auto& ring = collective::algorithms().get("ring", "example");
  for (const char* size : {"4KiB", "64KiB", "1MiB", "64MiB"}) {
    const Bytes bytes = parse_bytes(size, "size");
    std::cout << size << ": ring " << format(alone(*machine, ring, bytes)) << ", parameter server "
              << format(alone(*machine, kParameterServer, bytes)) << "\n";
  }

  std::cout << "iteration with the ring " << format(scenario::run(training, machine).summary.iteration_time);
  training.collectives.algorithms[static_cast<size_t>(Kind::all_reduce)] = &kParameterServer;
  std::cout << ", with the parameter server " << format(scenario::run(training, machine).summary.iteration_time)
            << "\n";
}
