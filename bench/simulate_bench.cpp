// Items and communications a second of both engines, for one training iteration of tensor parallelism in nodes of eight
// and data parallelism between them: 32 layers, ten kernels a layer each way, a blocking all-reduce a layer each way in
// the node and one of the gradients between the nodes beside the compute.
#include <benchmark/benchmark.h>

#include "foreflow/simulate/simulate.h"

namespace {

using namespace foreflow;
using collective::Kind;

constexpr int kNode    = 8;
constexpr int kLayers  = 32;
constexpr int kKernels = 10;

// NVLink up and down of every GPU, one NIC up and down of every node.
platform::Platform nodes_of_eight(int devices) {
  std::vector<platform::Device> gpus(static_cast<size_t>(devices));
  std::vector<platform::Link> links;
  for (int i = 0; i < 2 * devices; ++i) links.push_back({"nvlink", "nvlink", BytesPerSecond(300e9), Seconds(1e-6)});
  for (int i = 0; i < 2 * devices / kNode; ++i) links.push_back({"nic", "nic", BytesPerSecond(100e9), Seconds(2e-6)});
  std::vector<platform::Route> routes;
  for (int from = 0; from < devices; ++from) {
    for (int to = 0; to < devices; ++to) {
      platform::Route& route = routes.emplace_back();
      if (from == to) continue;
      route.links    = {2 * from, 2 * to + 1};
      const int nics = 2 * devices;
      if (from / kNode != to / kNode)
        route.links.insert(route.links.begin() + 1, {nics + 2 * (from / kNode), nics + 2 * (to / kNode) + 1});
      for (const int link : route.links) route.latency += links[static_cast<size_t>(link)].latency;
    }
  }
  return platform::Platform("nodes of eight", std::move(gpus), std::move(links), std::move(routes));
}

// Streams: `devices` of compute, then as many of communication.
class Iteration {
 public:
  explicit Iteration(int devices) : devices_(devices) {
    program_.memory_effects.push_back({Bytes(0), Bytes(0)});
    program_.computes.push_back({"forward", Seconds(20e-6), Flops(0), {}});
    program_.computes.push_back({"backward", Seconds(40e-6), Flops(0), {}});
    const auto ring = &collective::default_algorithm(Kind::all_reduce);
    program_.communications.push_back({"activations", Kind::all_reduce, ring, Bytes(16e6), Seconds(-1)});
    program_.communications.push_back({"gradients", Kind::all_reduce, ring, Bytes(8e6), Seconds(-1)});
    program_.communications.push_back(
        {"hand_over", Kind::send, &collective::default_algorithm(Kind::send), Bytes(8e6), Seconds(-1)});
    for (int i = 0; i < devices; ++i) program_.devices.push_back({i, i, Bytes(0)});
    for (int i = 0; i < 2 * devices; ++i) program_.streams.push_back({"D", i % devices, {}});
    for (int layer = 0; layer < kLayers; ++layer) run_layer(0);
    for (int layer = 0; layer < kLayers; ++layer) run_layer(1), reduce_gradients();
  }

  const stream::Program& program() const { return program_; }

 private:
  void run_layer(int32_t kernel) {
    for (int device = 0; device < devices_; ++device) {
      for (int i = 0; i < kKernels; ++i) program_.streams[static_cast<size_t>(device)].items.push_back({kernel, -1, 0});
    }
    for (int node = 0; node < devices_ / kNode; ++node) {
      std::vector<int32_t> members;
      for (int i = 0; i < kNode; ++i) members.push_back(node * kNode + i);
      meet(0, members);
    }
  }

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
    for (const int32_t member : members)
      program_.streams[static_cast<size_t>(member)].items.push_back({communication, instance, 0});
  }

  int devices_;
  stream::Program program_;
};

void simulate(benchmark::State& state, const std::string& engine) {
  const int devices   = static_cast<int>(state.range(0));
  const auto platform = nodes_of_eight(devices);
  const Iteration iteration(devices);
  const auto& program = iteration.program();
  const auto& row     = simulate::engines().get(engine, "bench");
  for (auto _ : state) benchmark::DoNotOptimize(row.run(program, platform).makespan);

  size_t items = 0;
  for (const auto& stream : program.streams) items += stream.items.size();
  const auto rate                    = benchmark::Counter::kIsIterationInvariantRate;
  state.counters["items"]            = static_cast<double>(items);
  state.counters["items/s"]          = benchmark::Counter(static_cast<double>(items), rate);
  state.counters["communications/s"] = benchmark::Counter(static_cast<double>(program.instances.size()), rate);
}

BENCHMARK_CAPTURE(simulate, analytic, "analytic")
    ->Arg(16)
    ->Arg(128)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(simulate, simgrid, "simgrid")
    ->Arg(16)
    ->Arg(128)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
