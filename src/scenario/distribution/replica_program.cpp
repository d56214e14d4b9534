#include "scenario/distribution/replica_program.h"

#include "foreflow/ops/table.h"
#include "foreflow/transform/overlap.h"
#include "foreflow/transform/pipeline.h"
#include "scenario/blame.h"
#include "scenario/distribution/before_pipeline.h"
#include "scenario/distribution/program_keys.h"
#include "scenario/distribution/stages.h"

namespace foreflow::scenario {
namespace {

std::vector<SplitData> split_data_of(const transform::Distributed& pipelined) {
  std::vector<SplitData> split;
  for (size_t i = 0; i < pipelined.parameters.size(); ++i) {
    if (pipelined.module.entry().parameters[i] != ir::ParameterRole::data) continue;
    const transform::Piece& piece = pipelined.parameters[i];
    split.push_back(piece.layout.is_split() ? SplitData{piece.source, piece.index} : SplitData());
  }
  return split;
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

Expected<ReplicaProgram> cut_into_stages(const Sequential& sequential, const Scenario& scenario,
                                         const platform::Platform& platform, int run, const ir::WrittenDevices& written,
                                         SharedPrograms* shared) {
  const Strategy& strategy = scenario.strategy;
  const ir::OpTable& ops   = ops::table();
  const auto whole         = unpipelined(sequential, scenario, written, shared);
  if (!whole) return whole.refusal();
  ReplicaProgram program{{}, (*whole)->written, {}, (*whole)->steps};
  Expected<ir::Module> module = ir::Module();
  if (strategy.pp > 1 || strategy.microbatches > 1) {
    const ir::Module& before = (*whole)->module;
    const bool unequal       = strategy.has_unequal_stages();
    const char* key          = unequal ? strategy.stage_cp.empty() ? "stage_tp" : "stage_cp" : "microbatches";
    module                   = asked_for_by(key, scenario, [&] {
      transform::Pipeline wanted = pipeline_of(before, sequential, scenario, platform, run, program.written);
      // Offloading decides by function what leaves a device, and so needs one function for each stage.
      wanted.shares_functions = shared != nullptr && !strategy.offload;
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

}  // namespace

Expected<ReplicaProgramRef> unpipelined(const Sequential& sequential, const Scenario& scenario,
                                        const ir::WrittenDevices& written, SharedPrograms* shared) {
  const auto key = shared == nullptr ? std::string() : unpipelined_key(scenario.strategy, written);
  return shared_or_made(shared, key, [&] { return before_pipeline(sequential, scenario, written); });
}

Expected<ReplicaProgramRef> pipelined(const Sequential& sequential, const Scenario& scenario,
                                      const platform::Platform& platform, SharedPrograms* shared, int run,
                                      const ir::WrittenDevices& written) {
  if (!has_program_keys(scenario.strategy)) shared = nullptr;
  const auto key =
      shared == nullptr ? std::string() : pipelined_key(scenario.strategy, scenario.placement, run, written);
  return shared_or_made(shared, key,
                        [&] { return cut_into_stages(sequential, scenario, platform, run, written, shared); });
}

}  // namespace foreflow::scenario
