// Runs one resharding: plans it for a platform and simulates the plan.
#pragma once

#include <optional>
#include <vector>

#include "foreflow/lower/reshard.h"
#include "foreflow/platform/platform.h"
#include "foreflow/reshard/strategy.h"
#include "foreflow/simulate/simulate.h"

namespace foreflow::scenario {

// The hosts that a mesh of this shape needs on nodes of `node_size` devices. The first dimension counts hosts, as in
// the paper, if each of them then has at most `node_size` devices; otherwise devices fill one node after the other.
// So does a mesh of one dimension.
int nodes_for(const std::vector<int>& mesh_shape, int node_size);

// A mesh on the nodes of a platform from `first_node` on: its devices are the first ones of each node. Throws Error at
// `where` when there are too few nodes.
reshard::Mesh mesh_on(const platform::Platform& platform, const std::vector<int>& shape, int first_node,
                      const std::string& where);

struct ReshardingRun {
  reshard::UnitTasks units;
  reshard::Ports ports;
  reshard::Plan plan;
  lower::LoweredPlan lowered;
  stream::Timeline timeline;
  std::vector<stream::Record> jobs;  // when each job of the plan ran

  Bytes size;           // of all tensors
  Bytes crossing;       // that moved between hosts
  Seconds time;         // the end of the last job
  Seconds lower_bound;  // reshard::least_time

  BytesPerSecond effective_bandwidth() const { return size / time; }
  // How much longer than the lower bound it took; none where nothing bounds the time from below.
  std::optional<double> gap() const;
};

// Requires checked moves, whose devices are indices into platform.devices(). Throws Error when two devices that
// communicate have no route, and when no device needs anything that it does not have.
ReshardingRun run_resharding(const platform::Platform& platform, std::vector<reshard::Move> moves,
                             const reshard::StrategyDef& strategy, const reshard::PlanOptions& options,
                             const simulate::EngineDef& engine);

}  // namespace foreflow::scenario
