#include "scenario/idle_reasons.h"
#include "scenario/read.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::last_stage_layers_key {
namespace {

void read(const JsonView& value, Strategy& strategy) {
  strategy.layer_share.last = static_cast<int>(positive(value, kMostLayers));
}

Json write(const Strategy& strategy) {
  return strategy.layer_share.last > 0 ? Json(int64_t{strategy.layer_share.last}) : Json();
}

std::string idle(const Scenario& scenario) {
  return scenario.strategy.layer_share.last > 0 ? unless_pipelined(scenario) : "";
}

}  // namespace

StrategyKeyDef row() {
  return {.name = "last_stage_layers",
          .doc =
              "layers of the last device of the pipeline, in equal parts for its stages; the devices without a number "
              "have as many each. Megatron-LM's decoder-last-pipeline-num-layers",
          .type       = types::whole(1, kMostLayers),
          .otherwise  = "as many as the other devices",
          .read       = read,
          .depends_on = {"last_stage_layers"},
          .write      = write,
          .idle       = idle};
}

}  // namespace foreflow::scenario::definitions::last_stage_layers_key
