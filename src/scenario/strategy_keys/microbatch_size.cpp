#include "scenario/read.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::microbatch_size_key {
namespace {

void settle(const StrategySource& source, Strategy& strategy) {
  constexpr std::string_view kKey = "microbatch_size";
  if (!source.has(kKey)) return;
  if (source.has("microbatches")) source.fail(kKey, "stands beside microbatches; give one of them");
  if (strategy.global_batch == 0) source.fail(kKey, "needs a global_batch; give it, or microbatches");
  const int64_t size = positive(source.json.at(kKey)), replica = strategy.global_batch / strategy.dp;
  check_divides(source, kKey, size, replica, "the " + std::to_string(replica) + " samples of each replica");
  if (replica / size > kMostRanks) {
    source.fail(kKey,
                "makes " + std::to_string(replica / size) + " microbatches; use at most " + std::to_string(kMostRanks));
  }
  strategy.microbatches = static_cast<int>(replica / size);
}

}  // namespace

StrategyKeyDef row() {
  return {.name      = "microbatch_size",
          .doc       = "the samples of each of these parts, in place of their number",
          .type      = types::whole(1, kLargestNumber),
          .otherwise = "by microbatches",
          .settle    = settle};
}

}  // namespace foreflow::scenario::definitions::microbatch_size_key
