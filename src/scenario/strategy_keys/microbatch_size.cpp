#include "scenario/read.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::microbatch_size_key {
namespace {

void read(const JsonView& value, Strategy&) { positive(value); }

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  constexpr std::string_view kKey = "microbatch_size";
  if (!source.has(kKey)) return std::nullopt;
  if (source.has("microbatches")) return source.refused(kKey, "stands beside microbatches; give one of them");
  if (strategy.global_batch == 0) {  // a file, which is read later
    return source.refused(kKey,
                          "needs a global_batch, even that which the program or graph in the file has; give it, or "
                          "microbatches");
  }
  const int64_t size = positive(source.json.at(kKey)), replica = strategy.global_batch / strategy.dp;
  if (auto no =
          check_divides(source, kKey, size, replica, "the " + std::to_string(replica) + " samples of each replica"))
    return no;
  if (replica / size > kMostRanks) {
    return source.refused(
        kKey, "makes " + std::to_string(replica / size) + " microbatches; use at most " + std::to_string(kMostRanks));
  }
  strategy.microbatches = static_cast<int>(replica / size);
  return std::nullopt;
}

}  // namespace

StrategyKeyDef row() {
  return {.name = "microbatch_size",
          .doc =
              "the samples of each of these parts, in place of their number; beside a program or graph in a file it "
              "needs `global_batch`",
          .type       = types::whole(1, kLargestNumber),
          .otherwise  = "by microbatches",
          .read       = read,
          .settle     = settle,
          .depends_on = {"microbatch_size", "microbatches", "global_batch", "dp"}};
}

}  // namespace foreflow::scenario::definitions::microbatch_size_key
