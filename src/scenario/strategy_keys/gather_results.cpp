#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::gather_results_key {
namespace {

void read(const JsonView& value, Strategy& strategy) {
  strategy.results = value.as_bool() ? transform::Results::gather : transform::Results::leave_split;
}

Json write(const Strategy& strategy) { return strategy.results == transform::Results::gather; }

}  // namespace

StrategyKeyDef row() {
  return {
      .name = "gather_results",
      .doc =
          "what the program returns is gathered by the devices of a tensor-parallel group, of which the first keeps "
          "it, but for what the program reads itself and for keys and values of attention: that stays split as it was "
          "computed, as all does otherwise",
      .type           = types::flag(),
      .fallback       = true,
      .read           = read,
      .write          = write,
      .of_one_replica = true};
}

}  // namespace foreflow::scenario::definitions::gather_results_key
