// From the program of one device to that of all: the passes that a strategy asks for, one after the other, as long as
// none refuses.
#include "scenario/distribute.h"

#include <algorithm>

#include "foreflow/ops/table.h"
#include "foreflow/scenario/run.h"
#include "foreflow/transform/clip_gradients.h"
#include "foreflow/transform/context_attention.h"
#include "foreflow/transform/fp8_reductions.h"
#include "foreflow/transform/overlap.h"
#include "foreflow/transform/pipeline.h"
#include "foreflow/transform/recompute.h"
#include "foreflow/transform/replica.h"
#include "foreflow/transform/simplify.h"
#include "foreflow/transform/split_data.h"
#include "foreflow/transform/tensor.h"
#include "scenario/blame.h"
#include "scenario/program_keys.h"
#include "scenario/stage_prices.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario {
namespace {

transform::LayerShare layers_in(const Scenario& scenario) {
  transform::LayerShare share = scenario.strategy.layer_share;
  share.layers                = static_cast<int>(layers_of(scenario.workload));
  return share;
}

}  // namespace

transform::Pipeline pipeline_of(const ir::Module& module, const Scenario& scenario, const platform::Platform& platform,
                                int run, int shards) {
  const Strategy& strategy      = scenario.strategy;
  transform::StagePrices prices = stage_prices(scenario, platform);
  prices.shards                 = shards;
  return {.schedule               = strategy.schedule,
          .size                   = strategy.schedule_size,
          .run                    = run,
          .delay_weight_gradients = strategy.delay_weight_gradients,
          .partition              = strategy.partition,
          .shares     = strategy.shares.empty() ? shares_by_speed(module, scenario, platform) : strategy.shares,
          .layers     = layers_in(scenario),
          .prices     = std::move(prices),
          .stage_ends = strategy.stage_ends,
          .marks_ends = scenario.collectives.host.microbatch > Seconds(0)};
}

Expected<ir::Module> before_pipeline(const Sequential& sequential, const Scenario& scenario) {
  int all = 0;
  return before_pipeline(sequential, scenario, all);
}

Expected<ir::Module> before_pipeline(const Sequential& sequential, const Scenario& scenario, int& shards) {
  auto program = replica_before_pipeline(sequential, scenario, shards);
  if (!program) return program.refusal();
  shards = program->shards;
  return std::move(program->module);
}

Expected<ReplicaProgram> replica_before_pipeline(const Sequential& sequential, const Scenario& scenario, int shards) {
  const Strategy& strategy = scenario.strategy;
  const ir::OpTable& ops   = ops::table();
  const int stages         = schedule::stages(strategy.schedule->mapping, strategy.schedule_size);
  const int parts          = strategy.sequence_parallel ? strategy.tp : 1;
  ReplicaProgram program{{}, shards};
  auto module = asked_for_by("recompute", scenario, [&] {
    return transform::recompute(sequential.module, ops, strategy.recompute, stages, strategy.fuses);
  });
  if (strategy.has_unequal_stages()) program.shards = 0;  // what differs between stages is done when they are cut
  if (module && !strategy.has_unequal_stages()) {
    module = asked_for_by("tp", scenario, [&] {
      auto two = shards > 0 ? transform::two_shards(*module, ops, shards, strategy.sharding()) : std::nullopt;
      if (!two) program.shards = 0;
      transform::Distributed made =
          two ? *std::move(two) : transform::shard(*module, ops, strategy.tp, strategy.sharding());
      program.steps.push_back(std::move(made.parameters));
      return std::move(made.module);
    });
    for (const transform::DataSplitStep& step : transform::data_split_steps(
             strategy.cp, strategy.ep, parts, strategy.context_attention, strategy.reduce_dtype)) {
      if (!module) break;
      module = asked_for_by(step.split.dim == 0 || strategy.cp == 1 ? "ep" : "cp", scenario, [&] {
        transform::Distributed made = transform::split_data(*module, ops, step.ways, step.split);
        program.steps.push_back(std::move(made.parameters));
        return std::move(made.module);
      });
    }
  }
  if (!module) return module.refusal();
  program.module = *std::move(module);
  return program;
}

int shards_before_pipeline(const Strategy& strategy) {
  if (strategy.has_unequal_stages()) return 0;
  const bool power = (strategy.tp & (strategy.tp - 1)) == 0;
  return strategy.tp > 2 && power ? strategy.tp : 0;
}

bool is_uniform(const platform::Platform& platform) {
  const std::vector<platform::Device>& kinds = platform.devices().kinds();
  return std::all_of(kinds.begin(), kinds.end(),
                     [&](const platform::Device& device) { return platform::same_speed(device, kinds.front()); });
}

namespace {

std::vector<int32_t> split_data_of(const transform::Distributed& pipelined) {
  std::vector<int32_t> sources;
  for (size_t i = 0; i < pipelined.parameters.size(); ++i) {
    if (pipelined.module.entry().parameters[i] != ir::ParameterRole::data) continue;
    sources.push_back(pipelined.parameters[i].layout.is_split() ? pipelined.parameters[i].source : -1);
  }
  return sources;
}

// The program that is already shared under `key`, or else the result of `make`.
template <typename Make>
Expected<ReplicaProgramRef> shared_or_made(SharedPrograms* shared, const std::string& key, const Make& make) {
  if (shared != nullptr) {
    if (ReplicaProgramRef found = shared->find(key)) return found;
  }
  Expected<ReplicaProgram> made = make();
  if (!made) return made.refusal();
  auto program = std::make_shared<const ReplicaProgram>(*std::move(made));
  if (shared != nullptr) shared->keep(key, program);
  return ReplicaProgramRef(std::move(program));
}

}  // namespace

Expected<ReplicaProgramRef> unpipelined(const Sequential& sequential, const Scenario& scenario, int shards,
                                        SharedPrograms* shared) {
  const auto key = shared == nullptr ? std::string() : unpipelined_key(scenario.strategy, shards);
  return shared_or_made(shared, key, [&] { return replica_before_pipeline(sequential, scenario, shards); });
}

namespace {

bool scatters(const Strategy& strategy) {
  return strategy.scatter_gather && strategy.tp > 1 && strategy.pp > 1 && strategy.cp == 1 && strategy.ep == 1 &&
         !strategy.has_unequal_stages();
}

// Per parameter of the shards of tensor parallelism: a number that equal ones share; -1: it is equal to no other. Those
// of a parameter that each shard has whole are equal.
std::vector<int32_t> equal_parameters(const std::vector<std::vector<transform::Piece>>& steps) {
  std::vector<int32_t> equal;
  if (steps.size() != 1) return equal;
  for (const transform::Piece& piece : steps.front()) equal.push_back(piece.layout.is_whole() ? piece.source : -1);
  return equal;
}

// Tensor and pipeline parallelism.
Expected<ReplicaProgram> pipelined(const Sequential& sequential, const Scenario& scenario,
                                   const platform::Platform& platform, int run, int shards, SharedPrograms* shared) {
  const Strategy& strategy = scenario.strategy;
  const ir::OpTable& ops   = ops::table();
  const auto whole         = unpipelined(sequential, scenario, shards, shared);
  if (!whole) return whole.refusal();
  ReplicaProgram program{{}, (*whole)->shards, {}, (*whole)->steps};
  Expected<ir::Module> module = ir::Module();
  if (strategy.pp > 1 || strategy.microbatches > 1) {
    const ir::Module& before = (*whole)->module;
    const bool unequal       = strategy.has_unequal_stages();
    const char* key          = unequal ? strategy.stage_cp.empty() ? "stage_tp" : "stage_cp" : "microbatches";
    module                   = asked_for_by(key, scenario, [&] {
      transform::Pipeline wanted = pipeline_of(before, scenario, platform, run, program.shards);
      if (scatters(strategy)) {
        wanted.scattered        = strategy.tp;
        wanted.equal_parameters = equal_parameters((*whole)->steps);
      }
      transform::ShardedPipeline made;
      if (unequal) {
        made = transform::pipeline_of_shards(before, ops, wanted, strategy.shardings());
      } else {
        made.pipelined = transform::pipeline(before, ops, wanted);
      }
      program.split_data = split_data_of(made.pipelined);
      for (transform::Distributed& step : made.sharded) program.steps.push_back(std::move(step.parameters));
      program.steps.push_back(std::move(made.pipelined.parameters));
      return std::move(made.pipelined.module);
    });
  } else {
    module = (*whole)->module;
  }
  if (module && strategy.offload)
    module = asked_for_by("offload", scenario, [&] { return transform::offload(*module, ops); });
  if (!module) return module.refusal();
  program.module = *std::move(module);
  return program;
}

Expected<ReplicaProgramRef> of_replica(const Sequential& sequential, const Scenario& scenario,
                                       const platform::Platform& platform, SharedPrograms* shared, int run = 0,
                                       int shards = 0) {
  if (!has_program_keys(scenario.strategy)) shared = nullptr;
  const auto key =
      shared == nullptr ? std::string() : pipelined_key(scenario.strategy, scenario.placement, run, shards);
  return shared_or_made(shared, key, [&] { return pipelined(sequential, scenario, platform, run, shards, shared); });
}

ir::Module with_streams(ir::Module module, const Strategy& strategy) {
  const ir::OpTable& ops = ops::table();
  if (strategy.needs_fused_attention()) module = transform::overlap_ring(module, ops);
  if (strategy.tp > 1 && strategy.tensor_chunks > 1)
    module = transform::overlap_tensor(module, ops, strategy.tensor_chunks);
  if (strategy.overlap_sends && strategy.pp > 1) module = transform::overlap_sends(std::move(module), ops);
  return module;
}

bool clips(const Scenario& scenario) {
  return scenario.workload.clip_gradients > 0 && scenario.workload.mode == workload::Mode::training;
}

// Norms are those of all gradients, so gradients are clipped when all devices are known. `steps` led to the program of
// a replica, which has two of `shards` shards if that is above 0; `one`: what represents the replicas, null for none.
ir::Module with_clipped_gradients(ir::Module module, const Scenario& scenario,
                                  const std::vector<std::vector<transform::Piece>>& steps, int shards,
                                  const transform::OneReplica* one = nullptr) {
  if (!clips(scenario)) return module;
  transform::Clipping how{
      .max_norm = scenario.workload.clip_gradients, .parts = transform::held_parts(steps, shards), .shards = shards};
  if (one != nullptr) {
    how.replicas = one->ways;
    how.held     = one->parameters;
  }
  return transform::clip_gradients(std::move(module), ops::table(), how);
}

bool reduces_maxima(const Scenario& scenario) { return scenario.workload.fp8 && scenario.workload.fp8_reduces; }

// Behind the streams, so that the pieces of a product that is cut are one product.
ir::Module with_reduced_maxima(ir::Module module, const Scenario& scenario, int shards, int replicas) {
  if (!reduces_maxima(scenario)) return module;
  return transform::with_fp8_reductions(module, ops::table(), {.replicas = replicas, .shards = shards});
}

// One of the replicas of a program, with its streams.
Expected<transform::OneReplica> one_replica(const ReplicaProgram& replica, const Scenario& scenario) {
  return asked_for_by("dp", scenario, [&] {
    transform::OneReplica one = transform::one_replica(replica.module, ops::table(), scenario.strategy.data_parallel());
    one.module                = with_streams(std::move(one.module), scenario.strategy);
    one.module                = with_reduced_maxima(std::move(one.module), scenario, replica.shards, one.ways);
    one.module = with_clipped_gradients(std::move(one.module), scenario, replica.steps, replica.shards, &one);
    return one;
  });
}

// The number of shards if two of them represent all; 0 if they do not. Offloading works on all devices of a group.
int shards_alike(const Strategy& strategy) {
  const bool plain = !strategy.offload && strategy.stage_ends.empty();
  return plain ? shards_before_pipeline(strategy) : 0;
}

}  // namespace

namespace {

// Adds advice to a refusal for a model without weights, because samples may be counted along an input that is a weight.
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
  const auto replica                = of_replica(sequential, scenario, platform, shared);
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
  program.module = with_reduced_maxima(std::move(program.module), scenario, 0, 1);
  program.module = with_clipped_gradients(std::move(program.module), scenario, (*replica)->steps, 0);
  return program;
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

Expected<transform::Cut> try_cut(const Sequential& sequential, const Scenario& scenario,
                                 const platform::Platform& platform, double repeated) {
  int all           = 0;
  const auto module = before_pipeline(sequential, scenario, all);
  if (!module) return module.refusal();
  return asked_for_by("microbatches", scenario, [&] {
    transform::Pipeline wanted = pipeline_of(*module, scenario, platform);
    wanted.prices.op           = [price = std::move(wanted.prices.op), repeated](const ir::OpCall& call,
                                                                       std::span<const ir::Type> outputs) {
      return (call.attributes.find(std::string(transform::kRecompute)) == nullptr ? 1 : repeated) *
             price(call, outputs);
    };
    if (scenario.strategy.has_unequal_stages())
      return transform::cut_of_shards(*module, ops::table(), wanted, scenario.strategy.shardings());
    return transform::cut(*module, ops::table(), wanted);
  });
}

Expected<AlikeReplicas> try_distribute_alike(const Sequential& sequential, const Scenario& scenario,
                                             const platform::Platform& platform, int run, bool two,
                                             SharedPrograms* shared) {
  const transform::DataParallel how = scenario.strategy.data_parallel();
  const bool uniform                = is_uniform(platform);
  const int shards                  = two && uniform ? shards_alike(scenario.strategy) : 0;
  if (sequential.placed || (shards == 0 && run == 0 && !(how.ways > 1 && uniform))) {
    auto program = distributed(sequential, scenario, platform, shared);
    if (!program) return program.refusal();
    return AlikeReplicas{std::move(program->module), 1};
  }
  FOREFLOW_CHECK(is_resolved(scenario.strategy), "a scenario is resolved before its program is distributed");
  const auto replica = of_replica(sequential, scenario, platform, shared, run, shards);
  if (!replica) return advised(replica.refusal(), scenario, sequential);
  AlikeReplicas all{{}, how.ways, (*replica)->shards, (*replica)->split_data};
  if (how.ways == 1 && !how.shares()) {
    all.module = with_streams((*replica)->module, scenario.strategy);
    all.module = with_reduced_maxima(std::move(all.module), scenario, all.shards, 1);
    all.module = with_clipped_gradients(std::move(all.module), scenario, (*replica)->steps, all.shards);
  } else {
    auto one = one_replica(**replica, scenario);
    if (!one) return advised(one.refusal(), scenario, sequential);
    all.module = std::move(one->module);
  }
  return all;
}

}  // namespace foreflow::scenario
