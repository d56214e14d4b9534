// A platform in code: four workstations of two GPUs each. Every workstation has a switch of its own, and the switches
// are cabled in a ring. A training step on it is compared with the same step on a DGX-1.
//
//    gpu0 gpu1      gpu2 gpu3      gpu4 gpu5      gpu6 gpu7
//      \  /           \  /           \  /           \  /
//     switch0 ------ switch1 ------ switch2 ------ switch3 ------ switch0
#include <iostream>
#include <memory>

#include "foreflow/platform/describe.h"
#include "foreflow/scenario/run.h"

namespace {

using namespace foreflow;

constexpr int kHosts = 4, kGpusPerHost = 2, kGpus = kHosts * kGpusPerHost;

// Vertices and cables are numbered as they are added; a cable is one link each way.
class Builder {
 public:
  void add_gpu(const std::string& host, const std::string& name) {
    platform::Device gpu;
    gpu.name             = name;
    gpu.kind             = "workstation GPU";
    gpu.node             = host;
    gpu.memory           = parse_bytes("24GB", "memory");
    gpu.memory_bandwidth = parse_bandwidth("900GBps", "memory bandwidth");
    gpu.peaks            = {{"f32", parse_flops_rate("35Tf", "peak")}, {"f16", parse_flops_rate("140Tf", "peak")}};
    gpu.launch           = parse_seconds("4us", "launch");
    graph_.vertices.push_back({name, static_cast<int>(devices_.size())});
    devices_.push_back(gpu);
  }

  void add_switch(const std::string& name) { graph_.vertices.push_back({name, -1}); }

  void join(int a, int b, const std::string& kind, BytesPerSecond bandwidth, Seconds latency) {
    const auto add_link = [&](int from, int to) {
      const auto& vertices = graph_.vertices;
      links_.push_back({vertices[static_cast<size_t>(from)].name + "->" + vertices[static_cast<size_t>(to)].name, kind,
                        bandwidth, latency});
      return static_cast<int>(links_.size()) - 1;
    };
    graph_.edges.push_back({a, b, {add_link(a, b)}, {add_link(b, a)}});
  }

  platform::Platform build(const std::string& name) const { return {name, devices_, links_, graph_}; }

 private:
  std::vector<platform::Device> devices_;
  std::vector<platform::Link> links_;
  platform::Graph graph_;
};

platform::Platform ring_of_workstations() {
  Builder builder;
  for (int gpu = 0; gpu < kGpus; ++gpu)
    builder.add_gpu("host" + std::to_string(gpu / kGpusPerHost), "gpu" + std::to_string(gpu));
  for (int host = 0; host < kHosts; ++host) builder.add_switch("switch" + std::to_string(host));
  for (int gpu = 0; gpu < kGpus; ++gpu)
    builder.join(gpu, kGpus + gpu / kGpusPerHost, "nic", BytesPerSecond(25e9), Seconds(2e-6));
  for (int host = 0; host < kHosts; ++host)
    builder.join(kGpus + host, kGpus + (host + 1) % kHosts, "fabric", BytesPerSecond(50e9), Seconds(1e-6));
  return builder.build("ring of workstations");
}

const char* const kTraining = R"({
  "name": "small GPT",
  "workload": {"model": "gpt", "layers": 8, "hidden": 1024, "heads": 16, "sequence": 512, "vocabulary": 32000,
               "dtype": "f16", "mode": "training", "optimizer": "adam"},
  "platform": {"topology": "dgx1"},
  "strategy": {"dp": 8, "global_batch": 64}
})";

}  // namespace

int main() {
  const auto ring = std::make_shared<const platform::Platform>(ring_of_workstations());
  std::cout << platform::describe_route(*ring, "gpu0", "gpu5") << "bisection "
            << format(platform::bisection_bandwidth(*ring)) << "\n";

  const scenario::Scenario training = scenario::load(parse_json(kTraining, "training"), "training");
  std::cout << "DGX-1:                " << format(scenario::run(training).summary.iteration_time) << "\n"
            << "ring of workstations: " << format(scenario::run(training, ring).summary.iteration_time) << "\n";
}
