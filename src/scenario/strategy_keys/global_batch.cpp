#include "scenario/read.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::global_batch_key {
namespace {

void read(const JsonView& value, Strategy& strategy) { strategy.global_batch = positive(value); }

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  const bool family = source.workload.source == Workload::Source::family;
  if (!source.has("global_batch")) strategy.global_batch = family ? 1 : 0;
  if (strategy.global_batch > 0) {
    if (auto no = check_divides(source, "dp", strategy.dp, strategy.global_batch,
                                "the global batch " + std::to_string(strategy.global_batch)))
      return no;
  }
  return std::nullopt;
}

Json write(const Strategy& strategy) { return strategy.global_batch == 0 ? Json() : Json(strategy.global_batch); }

}  // namespace

StrategyKeyDef row() {
  return {.name       = "global_batch",
          .doc        = "samples of an iteration",
          .type       = types::whole(1, kLargestNumber),
          .otherwise  = "1; a program or graph in a file has its own",
          .read       = read,
          .settle     = settle,
          .depends_on = {"global_batch", "dp"},
          .write      = write};
}

}  // namespace foreflow::scenario::definitions::global_batch_key
