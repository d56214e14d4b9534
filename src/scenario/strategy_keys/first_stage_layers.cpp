#include "scenario/idle_reasons.h"
#include "scenario/read.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::first_stage_layers_key {
namespace {

void read(const JsonView& value, Strategy& strategy) {
  strategy.layer_share.first = static_cast<int>(positive(value, kMostLayers));
}

Json write(const Strategy& strategy) {
  return strategy.layer_share.first > 0 ? Json(int64_t{strategy.layer_share.first}) : Json();
}

std::string idle(const Scenario& scenario) {
  return scenario.strategy.layer_share.first > 0 ? unless_pipelined(scenario) : "";
}

}  // namespace

StrategyKeyDef row() {
  return {.name = "first_stage_layers",
          .doc =
              "layers of the first device of the pipeline, in equal parts for its stages; the devices without a number "
              "have as many each. Megatron-LM's decoder-first-pipeline-num-layers",
          .type       = types::whole(1, kMostLayers),
          .otherwise  = "as many as the other devices",
          .read       = read,
          .depends_on = {"first_stage_layers"},
          .write      = write,
          .idle       = idle};
}

}  // namespace foreflow::scenario::definitions::first_stage_layers_key
