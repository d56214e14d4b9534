#include "scenario/distribution/before_pipeline.h"

#include "foreflow/ops/table.h"
#include "foreflow/transform/recompute.h"
#include "foreflow/transform/split_data.h"
#include "foreflow/transform/tensor.h"
#include "scenario/blame.h"

namespace foreflow::scenario {
namespace {

// The ops whose results `op` keeps as reduce-scatters make them. It does not know those of stages that are sharded in
// different ways, and repeats them.
std::vector<bool> reduced_and_kept(const ir::Module& module, const Strategy& strategy) {
  const bool asks = strategy.recompute.kind == transform::Recompute::Kind::op && !strategy.has_unequal_stages();
  if (!asks || module.functions.size() > 1) return {};
  return transform::reduce_scattered(module, strategy.tp, strategy.sharding());
}

}  // namespace

Expected<ReplicaProgram> before_pipeline(const Sequential& sequential, const Scenario& scenario,
                                         const ir::WrittenDevices& written) {
  const Strategy& strategy = scenario.strategy;
  const ir::OpTable& ops   = ops::table();
  const int stages         = schedule::stages(strategy.schedule->mapping, strategy.schedule_size);
  const int parts          = strategy.sequence_parallel ? strategy.tp : 1;
  ReplicaProgram program{{}, written};
  const auto reduced = asked_for_by("tp", scenario, [&] { return reduced_and_kept(sequential.module, strategy); });
  if (!reduced) return reduced.refusal();
  auto module = asked_for_by("recompute", scenario, [&] {
    return transform::recompute(sequential.module, ops, strategy.recompute, stages, strategy.fuses, *reduced);
  });
  if (strategy.has_unequal_stages()) program.written = {};  // what differs between stages is done when they are cut
  if (module && !strategy.has_unequal_stages()) {
    module = asked_for_by("tp", scenario, [&] {
      const int shards = written.shards;
      auto two         = shards > 0 ? transform::two_shards(*module, ops, shards, strategy.sharding()) : std::nullopt;
      if (!two) program.written.shards = 0;
      transform::Distributed made =
          two ? *std::move(two) : transform::shard(*module, ops, strategy.tp, strategy.sharding());
      program.steps.push_back(std::move(made.parameters));
      return std::move(made.module);
    });
    for (const transform::DataSplitStep& step : transform::data_split_steps(
             strategy.cp, strategy.ep, parts, strategy.context_attention, strategy.reduce_dtype)) {
      if (!module) break;
      module = asked_for_by(step.split.dim == 0 || strategy.cp == 1 ? "ep" : "cp", scenario, [&] {
        auto two = written.ranks > 0 ? transform::two_ranks(*module, ops, step.ways, step.split) : std::nullopt;
        if (!two) program.written.ranks = 0;
        transform::Distributed made =
            two ? *std::move(two) : transform::split_data(*module, ops, step.ways, step.split);
        program.steps.push_back(std::move(made.parameters));
        return std::move(made.module);
      });
    }
  }
  if (!module) return module.refusal();
  program.written.of_rank = program.written.shards > 0 ? 2 : strategy.tp;
  program.module          = *std::move(module);
  return program;
}

namespace {

// Two of so many represent all.
int represented(int ways) {
  const bool power = (ways & (ways - 1)) == 0;
  return ways > 2 && power ? ways : 0;
}

}  // namespace

int shards_before_pipeline(const Strategy& strategy) {
  return strategy.has_unequal_stages() ? 0 : represented(strategy.tp);
}

int ranks_before_pipeline(const Strategy& strategy) {
  return strategy.has_unequal_stages() || strategy.cp > 1 ? 0 : represented(strategy.ep);
}

ir::WrittenDevices alike_before_pipeline(const Strategy& strategy) {
  if (strategy.offload) return {};
  return {.shards = shards_before_pipeline(strategy), .ranks = ranks_before_pipeline(strategy)};
}

}  // namespace foreflow::scenario
