#include "scenario/distribution/device_passes.h"

#include "foreflow/ops/table.h"
#include "foreflow/transform/clip_gradients.h"
#include "foreflow/transform/context_attention.h"
#include "foreflow/transform/fp8_reductions.h"
#include "foreflow/transform/overlap.h"
#include "scenario/blame.h"

namespace foreflow::scenario {

ir::Module with_streams(ir::Module module, const Strategy& strategy) {
  const ir::OpTable& ops = ops::table();
  if (strategy.needs_fused_attention()) module = transform::overlap_ring(module, ops);
  if (strategy.tp > 1 && strategy.tensor_chunks > 1)
    module = transform::overlap_tensor(module, ops, strategy.tensor_chunks);
  if (strategy.overlap_sends && strategy.pp > 1) module = transform::overlap_sends(std::move(module), ops);
  return module;
}

bool clips(const Scenario& scenario) { return scenario.workload.clip_gradients > 0 && scenario.workload.trains(); }

ir::Module with_clipped_gradients(ir::Module module, const Scenario& scenario,
                                  const std::vector<std::vector<transform::Piece>>& steps,
                                  const ir::WrittenDevices& written, const transform::OneReplica* one) {
  if (!clips(scenario)) return module;
  transform::Clipping how{
      .max_norm = scenario.workload.clip_gradients, .parts = transform::held_parts(steps, written), .written = written};
  if (one != nullptr) {
    how.replicas = one->ways;
    how.held     = one->parameters;
  }
  return transform::clip_gradients(std::move(module), ops::table(), how);
}

bool reduces_maxima(const Scenario& scenario) { return scenario.workload.fp8 && scenario.workload.fp8_reduces; }

ir::Module with_reduced_maxima(ir::Module module, const Scenario& scenario, const ir::WrittenDevices& written,
                               int replicas) {
  if (!reduces_maxima(scenario)) return module;
  return transform::with_fp8_reductions(module, ops::table(), {.replicas = replicas, .written = written});
}

Expected<transform::OneReplica> one_replica(const ReplicaProgram& replica, const Scenario& scenario) {
  return asked_for_by("dp", scenario, [&] {
    transform::DataParallel how = scenario.strategy.data_parallel();
    how.ranks                   = replica.written.ranks;
    transform::OneReplica one   = transform::one_replica(replica.module, ops::table(), how);
    one.module                  = with_streams(std::move(one.module), scenario.strategy);
    one.module                  = with_reduced_maxima(std::move(one.module), scenario, replica.written, one.ways);
    one.module = with_clipped_gradients(std::move(one.module), scenario, replica.steps, replica.written, &one);
    return one;
  });
}

}  // namespace foreflow::scenario
