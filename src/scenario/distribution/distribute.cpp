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

// ReplicaProgram::split_data of the program of all replicas, whose last step makes it of that of one.
std::vector<SplitData> split_data_of_all(const DistributedProgram& all, const ReplicaProgram& one) {
  const ir::Function& replica = one.module.entry();
  std::vector<int32_t> number_of(replica.parameters.size(), -1);  // among the data
  int32_t count = 0;
  for (size_t i = 0; i < replica.parameters.size(); ++i) {
    if (replica.parameters[i] == ir::ParameterRole::data) number_of[i] = count++;
  }
  std::vector<SplitData> split;
  const ir::Function& entry = all.module.entry();
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    if (entry.parameters[i] != ir::ParameterRole::data) continue;
    const int32_t source = nth(number_of, all.steps.back()[i].source);
    split.push_back(source < 0 ? SplitData() : nth(one.split_data, source));
  }
  return split;
}

// `run`: as try_distribute_alike() has it; `split_data` as AlikeReplicas, if `run` is given.
Expected<DistributedProgram> distributed(const Sequential& sequential, const Scenario& scenario,
                                         const platform::Platform& platform, SharedPrograms* shared, int run = 0,
                                         std::vector<SplitData>* split_data = nullptr) {
  FOREFLOW_CHECK(is_resolved(scenario.strategy), "a scenario is resolved before its program is distributed");
  if (sequential.placed) return DistributedProgram{sequential.module, {}};
  const transform::DataParallel how = scenario.strategy.data_parallel();
  const auto replica                = pipelined(sequential, scenario, platform, shared, run);
  if (!replica) return advised(replica.refusal(), scenario, sequential);
  DistributedProgram program{(*replica)->module, (*replica)->steps};
  if (how.shares() || (how.ways > 1 && (clips(scenario) || reduces_maxima(scenario)))) {
    const auto one = one_replica(**replica, scenario);
    if (!one) return advised(one.refusal(), scenario, sequential);
    transform::Distributed all = transform::unfold(*one, ops::table());
    program.module             = std::move(all.module);
    program.steps.push_back(std::move(all.parameters));
    if (split_data != nullptr) *split_data = split_data_of_all(program, **replica);
    return program;
  }
  if (how.ways > 1) {
    auto all = asked_for_by("dp", scenario,
                            [&] { return transform::replicate(std::move(program.module), ops::table(), how); });
    if (!all) return advised(all.refusal(), scenario, sequential);
    program.module = std::move(all->module);
    program.steps.push_back(std::move(all->parameters));
    if (split_data != nullptr) *split_data = split_data_of_all(program, **replica);
  } else if (split_data != nullptr) {
    *split_data = (*replica)->split_data;
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
  // A replica represents all only where devices are equal.
  if (sequential.placed || (how.ways > 1 ? !uniform : written.all() && run == 0)) {
    AlikeReplicas all{{}, 1, {}};
    auto program = distributed(sequential, scenario, platform, shared, run, run > 0 ? &all.split_data : nullptr);
    if (!program) return program.refusal();
    all.module = std::move(program->module);
    return all;
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
