#include "scenario/distribution/stages.h"

#include "foreflow/ops/table.h"
#include "foreflow/transform/recompute.h"
#include "scenario/blame.h"
#include "scenario/distribution/before_pipeline.h"
#include "scenario/distribution/stage_prices.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario {
namespace {

// The layers of a file were counted before its data and tensors were split, which make the first layer unlike the
// others.
transform::LayerShare layers_in(const Sequential& sequential, const Scenario& scenario) {
  const bool is_file          = scenario.workload.family == nullptr;
  transform::LayerShare share = scenario.strategy.layer_share;
  share.layers                = is_file ? sequential.layers : static_cast<int>(layers_of(scenario.workload));
  return share;
}

}  // namespace

bool lowers_by_times(const Strategy& strategy) {
  const bool balances = strategy.partition == transform::StagePartition::balanced || strategy.delay_weight_gradients;
  return (strategy.pp > 1 && balances) || strategy.recompute.kind == transform::Recompute::Kind::optimal;
}

transform::Pipeline pipeline_of(const ir::Module& module, const Sequential& sequential, const Scenario& scenario,
                                const platform::Platform& platform, int run, const ir::WrittenDevices& written) {
  const Strategy& strategy      = scenario.strategy;
  transform::StagePrices prices = stage_prices(scenario, platform);
  prices.written                = written;
  return {.schedule               = strategy.schedule,
          .size                   = strategy.schedule_size,
          .run                    = run,
          .delay_weight_gradients = strategy.delay_weight_gradients,
          .partition              = strategy.partition,
          .shares                 = strategy.shares,
          .speeds                 = speeds_of_stages(module, scenario, platform),
          .layers                 = layers_in(sequential, scenario),
          .prices                 = std::move(prices),
          .stage_ends             = written.all() ? strategy.stage_ends : strategy.written_stage_ends,
          .marks_ends             = scenario.collectives.host.any()};
}

Expected<transform::Cut> try_cut(const Sequential& sequential, const Scenario& scenario,
                                 const platform::Platform& platform, double repeated,
                                 const ir::WrittenDevices& written) {
  const auto before = before_pipeline(sequential, scenario, written);
  if (!before) return before.refusal();
  const ir::Module& module = before->module;
  return asked_for_by("microbatches", scenario, [&] {
    transform::Pipeline wanted = pipeline_of(module, sequential, scenario, platform, 0, before->written);
    wanted.prices.op           = [price = std::move(wanted.prices.op), repeated](const ir::OpCall& call,
                                                                       std::span<const ir::Type> outputs) {
      return (call.attributes.find(std::string(transform::kRecompute)) == nullptr ? 1 : repeated) *
             price(call, outputs);
    };
    if (scenario.strategy.has_unequal_stages())
      return transform::cut_of_shards(module, ops::table(), wanted, scenario.strategy.shardings());
    return transform::cut(module, ops::table(), wanted);
  });
}

}  // namespace foreflow::scenario
