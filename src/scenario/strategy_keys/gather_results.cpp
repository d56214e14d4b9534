#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::gather_results_key {
namespace {

void read(const JsonView& value, Strategy& strategy) {
  strategy.results = value.as_bool() ? transform::Results::gather : transform::Results::leave_split;
}

Json write(const Strategy& strategy) { return strategy.results == transform::Results::gather; }

}  // namespace

StrategyKeyDef row() {
  return {.name = "gather_results",
          .doc =
              "what the program returns, and reads no more, is gathered by the devices of a tensor-parallel group; the "
              "first of them keeps it. Otherwise it stays split as it was computed, as keys and values of a prefill do",
          .type           = types::flag(),
          .fallback       = true,
          .read           = read,
          .write          = write,
          .of_one_replica = true};
}

}  // namespace foreflow::scenario::definitions::gather_results_key
