#include "foreflow/scenario/resharding.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "foreflow/base/nth.h"
#include "foreflow/platform/by_node.h"
#include "foreflow/reshard/volume.h"

namespace foreflow::scenario {
namespace {

// Devices that one node has of a mesh; 0: they fill nodes.
int devices_of_row(const std::vector<int>& mesh_shape, int node_size) {
  const int row = reshard::size(mesh_shape) / mesh_shape.front();
  return mesh_shape.size() > 1 && row <= node_size ? row : 0;
}

std::vector<stream::Record> job_times(const lower::LoweredPlan& lowered, const stream::Timeline& timeline) {
  std::vector<stream::Record> of_instance(lowered.program.instances.size());
  for (size_t stream = 0; stream < lowered.program.streams.size(); ++stream) {
    const auto& items = lowered.program.streams[stream].items;
    for (size_t i = 0; i < items.size(); ++i) nth(of_instance, items[i].instance) = timeline.records[stream][i];
  }
  std::vector<stream::Record> jobs;
  for (const int32_t instance : lowered.instances) jobs.push_back(nth(of_instance, instance));
  return jobs;
}

Bytes size_of(const std::vector<reshard::Move>& moves) {
  Bytes size;
  for (const reshard::Move& move : moves) {
    double elements = 1;
    for (const int64_t extent : move.tensor.shape) elements *= static_cast<double>(extent);
    size += reshard::bytes_of(move.tensor, elements);
  }
  return size;
}

}  // namespace

int nodes_for(const std::vector<int>& mesh_shape, int node_size) {
  if (devices_of_row(mesh_shape, node_size) > 0) return mesh_shape.front();
  return (reshard::size(mesh_shape) - 1) / node_size + 1;
}

reshard::Mesh mesh_on(const platform::Platform& platform, const std::vector<int>& shape, int first_node,
                      const std::string& where) {
  std::vector<int> all(platform.devices().size());
  std::iota(all.begin(), all.end(), 0);
  const auto nodes = platform::by_node(platform, all);
  const auto smallest =
      std::min_element(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  const auto node_size = static_cast<int>(smallest->size());
  const int row        = devices_of_row(shape, node_size);
  const int needed     = nodes_for(shape, node_size);
  if (first_node + needed > static_cast<int>(nodes.size())) {
    throw Error(where,
                fmt::format("a mesh of {} behind {} other node{} needs {} nodes of {} devices, but {} has {}; use "
                            "more --nodes",
                            reshard::print(shape), first_node, first_node == 1 ? "" : "s", first_node + needed,
                            node_size, platform.name(), nodes.size()));
  }
  reshard::Mesh mesh{shape, {}};
  int left = reshard::size(shape);
  for (int node = first_node; left > 0; ++node) {
    const auto& devices = nth(nodes, node);
    const int here      = std::min(left, row > 0 ? row : node_size);
    mesh.devices.insert(mesh.devices.end(), devices.begin(), devices.begin() + here);
    left -= here;
  }
  return mesh;
}

std::optional<double> ReshardingRun::gap() const {
  if (lower_bound <= Seconds(0)) return std::nullopt;
  return time / lower_bound - 1;
}

ReshardingRun run_resharding(const platform::Platform& platform, std::vector<reshard::Move> moves,
                             const reshard::StrategyDef& strategy, const reshard::PlanOptions& options,
                             const simulate::EngineDef& engine) {
  ReshardingRun run;
  run.size  = size_of(moves);
  run.ports = reshard::ports_of(platform, moves);
  run.units = reshard::unit_tasks(std::move(moves));
  run.plan  = strategy.plan(run.units, run.ports, options);
  if (run.plan.jobs.empty())
    throw Error("foreflow reshard", "nothing has to move: every device has what it needs; use other meshes or specs");
  run.lowered     = lower::program_of(run.units, run.plan);
  run.timeline    = engine.run(run.lowered.program, platform);
  run.jobs        = job_times(run.lowered, run.timeline);
  run.time        = run.timeline.makespan;
  run.crossing    = reshard::crossing(run.plan.jobs, run.ports);
  run.lower_bound = reshard::least_time(run.units, run.ports);
  return run;
}

}  // namespace foreflow::scenario
