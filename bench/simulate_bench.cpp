// CPU time of the engines alone, children included, for one training iteration of tensor parallelism in nodes of eight
// and data parallelism between them: 32 layers, ten kernels a layer each way, a blocking all-reduce a layer each way in
// the node and one of the gradients over each of eight rails beside the compute.
#include <benchmark/benchmark.h>

#include <numeric>
#include <random>

#include "cpu_time.h"
#include "foreflow/base/nth.h"
#include "foreflow/simulate/simulate.h"
#include "points.h"

namespace {

using namespace foreflow;
using collective::Kind;

constexpr int kNode    = 8;
constexpr int kLayers  = 32;
constexpr int kKernels = 10;
constexpr int kSizes   = 64;  // of kernels that differ by up to 5 %

// NVLink up and down of every GPU, one NIC up and down of every node.
platform::Platform nodes_of_eight(int devices) {
  std::vector<platform::Device> gpus(static_cast<size_t>(devices));
  std::vector<platform::Link> links;
  for (int i = 0; i < devices; ++i) nth(gpus, i).node = "node" + std::to_string(i / kNode);
  for (int i = 0; i < 2 * devices; ++i) links.push_back({"nvlink", "nvlink", BytesPerSecond(450e9), Seconds(1e-6)});
  for (int i = 0; i < 2 * devices / kNode; ++i) links.push_back({"nic", "nic", BytesPerSecond(50e9), Seconds(2e-6)});
  const auto route = [devices](int from, int to) {
    const int nics = 2 * devices;
    if (from == to) return platform::Route{{}, Seconds(0)};
    if (from / kNode == to / kNode) return platform::Route{{2 * from, 2 * to + 1}, Seconds(2e-6)};
    return platform::Route{{2 * from, nics + 2 * (from / kNode), nics + 2 * (to / kNode) + 1, 2 * to + 1},
                           Seconds(6e-6)};
  };
  return platform::Platform("nodes of eight", std::move(gpus), std::move(links), route);
}

// Streams: `devices` of compute, then as many of communication.
class Iteration {
 public:
  explicit Iteration(int devices) : devices_(devices) {
    program_.memory_effects.push_back({Bytes(0), Bytes(0)});
    for (const double duration : {20e-6, 40e-6}) {
      for (int i = 0; i < kSizes; ++i) {
        const double factor = 0.95 + 0.1 * i / (kSizes - 1);
        program_.computes.push_back({"kernel", Seconds(duration * factor), Flops(0), {}});
      }
    }
    const auto ring = &collective::default_algorithm(Kind::all_reduce);
    program_.communications.push_back({"activations", Kind::all_reduce, ring, Bytes(16e6)});
    program_.communications.push_back({"gradients", Kind::all_reduce, ring, Bytes(8e6)});
    program_.communications.push_back(
        {"hand_over", Kind::send, &collective::default_algorithm(Kind::send), Bytes(8e6)});
    for (int i = 0; i < devices; ++i) program_.devices.push_back({i, i, Bytes(0)});
    for (int i = 0; i < 2 * devices; ++i) program_.streams.push_back({"D", i % devices, {}});
    for (int layer = 0; layer < kLayers; ++layer) run_layer(0);
    for (int layer = 0; layer < kLayers; ++layer) run_layer(1), reduce_gradients();
  }

  const stream::Program& program() const { return program_; }

 private:
  void run_layer(int32_t kernel) {
    for (int device = 0; device < devices_; ++device) {
      for (int i = 0; i < kKernels; ++i) nth(program_.streams, device).items.push_back({draw(kernel), -1, 0});
    }
    for (int node = 0; node < devices_ / kNode; ++node) {
      std::vector<int32_t> members;
      for (int i = 0; i < kNode; ++i) members.push_back(node * kNode + i);
      meet(0, members);
    }
  }

  int32_t draw(int32_t kernel) { return kernel * kSizes + static_cast<int32_t>(random_() % kSizes); }

  void reduce_gradients() {
    for (int rail = 0; rail < kNode; ++rail) {
      std::vector<int32_t> members;
      for (int device = rail; device < devices_; device += kNode) {
        meet(2, {device, device + devices_});
        members.push_back(device + devices_);
      }
      meet(1, members);
    }
  }

  void meet(int32_t communication, const std::vector<int32_t>& members) {
    const auto instance = static_cast<int32_t>(program_.instances.size());
    program_.instances.push_back({communication, members});
    for (const int32_t member : members) nth(program_.streams, member).items.push_back({communication, instance, 0});
  }

  int devices_;
  std::mt19937_64 random_;
  stream::Program program_;
};

void count(benchmark::State& state, const stream::Program& program) {
  size_t items = 0;
  for (const auto& stream : program.streams) items += stream.items.size();
  state.counters["items"]          = static_cast<double>(items);
  state.counters["communications"] = static_cast<double>(program.instances.size());
}

// No two devices are alike.
void simulate(benchmark::State& state, const std::string& engine) {
  const int devices   = static_cast<int>(state.range(0));
  const auto platform = nodes_of_eight(devices);
  const Iteration iteration(devices);
  const auto& row = simulate::engines().get(engine, "bench");
  bench::time_cpu(state,
                  [&] { benchmark::DoNotOptimize(row.run(iteration.program(), platform, {.fold = false}).makespan); });
  count(state, iteration.program());
}

// The same job with a straggler, a thousand times another one.
void thousand_scenarios(benchmark::State& state) {
  constexpr int devices = 128;
  const auto platform   = nodes_of_eight(devices);
  const Iteration iteration(devices);
  const auto& row = simulate::engines().get("simgrid", "bench");
  bench::time_cpu(state, [&] {
    for (int i = 0; i < 1000; ++i) {
      simulate::Options options;
      options.disturbances.slowdowns = {{i % devices, 1.1 + i / 1000.0}};
      benchmark::DoNotOptimize(row.run(iteration.program(), platform, options).makespan);
    }
  });
}

// A step of a GPT with tensor parallelism 8 and data parallelism between nodes, lowered beforehand.
void gpt_step(benchmark::State& state, bool fold) {
  const int devices   = static_cast<int>(state.range(0));
  const auto scenario = bench::gpt_training(devices / 8, {devices / 8, 8, 1, 1}, "simgrid", kLayers);
  const auto platform = scenario::load_platform(scenario.platform);
  const auto lowered  = scenario::lower_scenario(scenario, scenario::build(scenario), *platform, {});
  bench::time_cpu(state, [&] {
    benchmark::DoNotOptimize(scenario.engine->run(lowered.program(), *platform, {.fold = fold}).makespan);
  });
  count(state, lowered.program());
}

void ring(benchmark::State& state) {
  const int devices   = static_cast<int>(state.range(0));
  const auto platform = nodes_of_eight(devices);
  stream::Program program;
  program.memory_effects = {{Bytes(0), Bytes(0)}};
  program.communications = {{"ring", Kind::all_reduce, &collective::algorithms().get("ring", "bench"), Bytes(1e9)}};
  std::vector<int32_t> members(static_cast<size_t>(devices));
  std::iota(members.begin(), members.end(), 0);
  program.instances.push_back({0, std::move(members)});
  for (int i = 0; i < devices; ++i) {
    program.devices.push_back({i, i, Bytes(0)});
    program.streams.push_back({"D", i, {{0, 0, 0}}});
  }
  const auto& row = simulate::engines().get("simgrid", "bench");
  bench::time_cpu(state, [&] { benchmark::DoNotOptimize(row.run(program, platform).makespan); });
}

BENCHMARK_CAPTURE(simulate, analytic, "analytic")->Arg(128)->Arg(1024)->Unit(benchmark::kMillisecond)->UseManualTime();
BENCHMARK_CAPTURE(simulate, simgrid, "simgrid")
    ->Arg(128)
    ->Arg(1024)
    ->Arg(4096)
    ->Arg(16384)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime();
BENCHMARK_CAPTURE(simulate, simgrid_flows, "simgrid_flows")->Arg(128)->Unit(benchmark::kMillisecond)->UseManualTime();
BENCHMARK(thousand_scenarios)->Unit(benchmark::kMillisecond)->UseManualTime();
BENCHMARK_CAPTURE(gpt_step, folded, true)->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond)->UseManualTime();
BENCHMARK_CAPTURE(gpt_step, unfolded, false)->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond)->UseManualTime();
BENCHMARK(ring)->Arg(1024)->Unit(benchmark::kMillisecond)->UseManualTime();

}  // namespace
