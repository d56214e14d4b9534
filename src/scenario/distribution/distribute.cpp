// From the program of one device to that of all: the passes that a strategy asks for, one after the other, as long as
// none refuses.
#include "scenario/distribution/distribute.h"

#include "foreflow/ops/table.h"
#include "foreflow/transform/replica.h"
#include "scenario/blame.h"
#include "scenario/distribution/before_pipeline.h"
#include "scenario/distribution/device_passes.h"
#include "scenario/distribution/replica_program.h"
#include "scenario/distribution/stage_prices.h"

namespace foreflow::scenario {
namespace {

// If a model has no weights, samples may be counted along one of them.
Refusal advised(Refusal refusal, const Scenario& scenario, const Sequential& sequential) {
  if (refusal.cause == Cause::program && sequential.parameters == 0 &&
      scenario.workload.source == Workload::Source::onnx)
    refusal.why += kNameWeights;
  return refusal;
}

Expected<DistributedProgram> distributed(const Sequential& sequential, const Scenario& scenario,
                                         const platform::Platform& platform, SharedPrograms* shared) {
  FOREFLOW_CHECK(is_resolved(scenario.strategy), "a scenario is resolved before its program is distributed");
  if (sequential.placed) return DistributedProgram{sequential.module, {}};
  const transform::DataParallel how = scenario.strategy.data_parallel();
  const auto replica                = pipelined(sequential, scenario, platform, shared);
  if (!replica) return advised(replica.refusal(), scenario, sequential);
  DistributedProgram program{(*replica)->module, (*replica)->steps};
  if (how.shares() || (how.ways > 1 && (clips(scenario) || reduces_maxima(scenario)))) {
    const auto one = one_replica(**replica, scenario);
    if (!one) return advised(one.refusal(), scenario, sequential);
    transform::Distributed all = transform::unfold(*one, ops::table());
    program.module             = std::move(all.module);
    program.steps.push_back(std::move(all.parameters));
    return program;
  }
  if (how.ways > 1) {
    auto all = asked_for_by("dp", scenario,
                            [&] { return transform::replicate(std::move(program.module), ops::table(), how); });
    if (!all) return advised(all.refusal(), scenario, sequential);
    program.module = std::move(all->module);
    program.steps.push_back(std::move(all->parameters));
  }
  program.module = with_streams(std::move(program.module), scenario.strategy);
  program.module = with_reduced_maxima(std::move(program.module), scenario, {}, 1);
  program.module = with_clipped_gradients(std::move(program.module), scenario, (*replica)->steps, {});
  return program;
}

// The devices that may represent all.
ir::WrittenDevices alike(const Strategy& strategy) {
  const bool is_cut_in_all = !strategy.stage_ends.empty() && strategy.written_stage_ends.empty();
  return is_cut_in_all ? ir::WrittenDevices() : alike_before_pipeline(strategy);
}

}  // namespace

Expected<ir::Module> try_distribute(const Sequential& sequential, const Scenario& scenario,
                                    const platform::Platform& platform) {
  auto program = distributed(sequential, scenario, platform, nullptr);
  if (!program) return program.refusal();
  return std::move(program->module);
}

DistributedProgram distribute_with_pieces(const Sequential& sequential, const Scenario& scenario,
                                          const platform::Platform& platform) {
  return distributed(sequential, scenario, platform, nullptr).value();
}

Expected<ir::Module> try_distribute(const Sequential& sequential, const Scenario& scenario,
                                    const platform::Platform& platform, SharedPrograms& shared) {
  auto program = distributed(sequential, scenario, platform, &shared);
  if (!program) return program.refusal();
  return std::move(program->module);
}

ir::Module distribute(const Sequential& sequential, const Scenario& scenario, const platform::Platform& platform) {
  return try_distribute(sequential, scenario, platform).value();
}

Expected<AlikeReplicas> try_distribute_alike(const Sequential& sequential, const Scenario& scenario,
                                             const platform::Platform& platform, int run, bool two,
                                             SharedPrograms* shared) {
  const transform::DataParallel how = scenario.strategy.data_parallel();
  const bool uniform                = is_uniform(platform);
  const ir::WrittenDevices written  = two && uniform ? alike(scenario.strategy) : ir::WrittenDevices();
  if (sequential.placed || (written.all() && run == 0 && !(how.ways > 1 && uniform))) {
    auto program = distributed(sequential, scenario, platform, shared);
    if (!program) return program.refusal();
    return AlikeReplicas{std::move(program->module), 1, {}};
  }
  FOREFLOW_CHECK(is_resolved(scenario.strategy), "a scenario is resolved before its program is distributed");
  const auto replica = pipelined(sequential, scenario, platform, shared, run, written);
  if (!replica) return advised(replica.refusal(), scenario, sequential);
  AlikeReplicas all{{}, how.ways, (*replica)->written, (*replica)->split_data};
  if (how.ways == 1 && !how.shares()) {
    all.module = with_streams((*replica)->module, scenario.strategy);
    all.module = with_reduced_maxima(std::move(all.module), scenario, all.written, 1);
    all.module = with_clipped_gradients(std::move(all.module), scenario, (*replica)->steps, all.written);
  } else {
    auto one = one_replica(**replica, scenario);
    if (!one) return advised(one.refusal(), scenario, sequential);
    all.module = std::move(one->module);
  }
  return all;
}

}  // namespace foreflow::scenario
