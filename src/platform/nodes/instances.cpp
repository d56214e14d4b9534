// Machines that are rented by their name.
#include <fmt/core.h>

#include <algorithm>

#include "foreflow/base/suggestion.h"
#include "foreflow/base/text.h"
#include "platform/nodes/ports.h"
#include "platform/nodes/sheets.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform {
namespace {

constexpr int kGpusPerSwitch = 4;  // of a server without NVLink
constexpr int kMost          = 1024;

struct Instance {
  std::string_view name;
  const char* cloud;
  std::string_view device;
  int gpus;
  double inside;  // GB/s of NVLink each way and GPU; 0: none; below 0: of each pair in a full mesh
  int pcie;       // generation
  int nics;
  double nic;  // GB/s
  const char* network;
  const char* source;
};

struct Pcie {
  Port port;
  const char* source;
};

Pcie pcie_of(int generation) {
  switch (generation) {
    case 3: return {pcie3_port(), kPcie3Source};
    case 4: return {pcie4_port(), kPcie4Source};
    case 5: return {pcie5_port(), kPcie5Source};
    default: return {pcie6_port(), kPcie6Source};
  }
}

BytesPerSecond gigabytes(double number) { return BytesPerSecond(number * 1e9); }

// V100, whose NVLinks are of the second generation, are joined pairwise in the machines that clouds rent out.
std::string nvlink_source(const Instance& instance) {
  const bool pairwise = sheet(instance.device).nvlink_generation == 2;
  return fmt::format(
      "nvlink: {} GB/s per direction and GPU, {}", instance.inside,
      pairwise ? "its links to single GPUs as one to a switch of all, an assumption" : "all GPUs on one switch");
}

std::vector<std::string> sources_of(const Instance& instance) {
  std::vector<std::string> all = {
      fmt::format("nodes: {} {}; network {} ({})", instance.gpus, instance.device, instance.network, instance.source)};
  if (instance.inside > 0) all.push_back(nvlink_source(instance));
  if (instance.inside < 0)
    all.push_back(fmt::format("xgmi: {} GB/s per direction for each pair of GPUs", -instance.inside));
  if (instance.inside == 0 && instance.gpus > 1) {
    all.emplace_back(
        "four GPUs below each of the PCIe switches, the NIC at the first socket, no NVLink bridges, an assumption");
    all.emplace_back(kUpiSource);
  }
  all.emplace_back(pcie_of(instance.pcie).source);
  all.emplace_back(kLatencySource);
  return all;
}

// Returns the CPU of an instance; one without a name if it is not known.
Cpu cpu_of_instance(std::string_view instance) {
  struct Known {
    std::string_view begins, cpu;
  };
  static constexpr Known kCpus[] = {
  // clang-format off
#define FOREFLOW_INSTANCE_CPU(...) {__VA_ARGS__},
#include "platform/nodes/instance_cpus.def"
#undef FOREFLOW_INSTANCE_CPU
      // clang-format on
  };
  const auto* known = std::find_if(std::begin(kCpus), std::end(kCpus),
                                   [&](const Known& one) { return instance.starts_with(one.begins); });
  return known == std::end(kCpus) ? Cpu{} : host_cpu(std::string(known->cpu));
}

Node build_instance(const Instance& instance, int gpus, int nics) {
  Node node       = {.title   = fmt::format("{} {}", instance.cloud, instance.name),
                     .sources = sources_of(instance),
                     .gpu     = sheet(instance.device),
                     .gpus    = gpus,
                     .cpu     = cpu_of_instance(instance.name)};
  const Port pcie = pcie_of(instance.pcie).port, nic = nic_port(gigabytes(instance.nic));
  if (instance.inside == 0 && gpus > 1) {
    plug_nics(node, join_below_switches(node, kGpusPerSwitch, pcie, upi_port()), pcie, nic, nics);
    return node;
  }
  if (instance.inside > 0) join_all(node, "nvswitch", nvlink_port(gigabytes(instance.inside)));
  if (instance.inside < 0) join_pairs(node, {"xgmi", gigabytes(-instance.inside), kDirectLatency});
  add_nics(node, pcie, nic, nics);
  constexpr int kFirstThatReduces = 4;  // NVLink SHARP
  node.nvls = instance.inside > 0 && node.gpu.nvlink_generation >= kFirstThatReduces && instance.gpus > 1;
  return node;
}

TopologyDef row_of(const Instance& instance) {
  const bool pairs = instance.inside < 0, single = instance.gpus == 1;
  return {.name = instance.name,
          .doc  = fmt::format("{}: {} {}, {}", instance.cloud, instance.gpus, instance.device, instance.network),
          .default_nodes = 2,
          .gpus          = {instance.gpus, pairs    ? instance.gpus
                                           : single ? 1
                                                    : kMost},
          .nics          = {instance.nics, kMost},
          .build         = [instance](int gpus, int nics) { return build_instance(instance, gpus, nics); },
          .domains       = instance.inside > 0};
}

std::vector<TopologyDef> instance_rows() {
  static constexpr Instance kInstances[] = {
  // clang-format off
#define FOREFLOW_INSTANCE(...) {__VA_ARGS__},
#include "platform/nodes/instances.def"
#undef FOREFLOW_INSTANCE
      // clang-format on
  };
  std::vector<TopologyDef> all;
  std::transform(std::begin(kInstances), std::end(kInstances), std::back_inserter(all), row_of);
  return all;
}

}  // namespace

const Registry<TopologyDef>& instances() {
  static const Registry<TopologyDef> rows("instance", "instances", instance_rows());
  return rows;
}

const TopologyDef& find_topology(const std::string& name, const std::string& where) {
  for (const std::string& spelling : {name, "Standard_" + name}) {  // as Azure's pages have them
    if (const TopologyDef* row = instances().find(spelling)) return *row;
  }
  if (topologies().find(name) != nullptr) return topologies().get(name, where);
  std::vector<std::string> known = topology_names();
  const std::string close        = nearest(name, known);
  if (instances().find(close) == nullptr) return topologies().get(name, where);
  throw Error(where,
              fmt::format("unknown topology \"{}\"{} (see: foreflow list instances)", name, suggestion(name, known)));
}

std::vector<std::string> topology_names() {
  std::vector<std::string> names = topologies().names();
  for (const TopologyDef& row : instances()) names.emplace_back(row.name);
  return names;
}

}  // namespace foreflow::platform
