#include <fmt/core.h>

#include "foreflow/base/text.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::stage_shares_key {
namespace {

constexpr std::string_view kKey = "stage_shares";

std::vector<double> read_shares(const JsonView& text) {
  std::vector<double> shares;
  for (const std::string& word : split(text.as_string(), ':')) {
    const auto share = parse_number<double>(word);
    if (!share || !(*share > 0)) text.fail("\"" + word + "\" is not a number above 0; write one like \"13:11\"");
    shares.push_back(*share);
  }
  return shares;
}

void read(const JsonView& value, Strategy& strategy) { strategy.shares = read_shares(value); }

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  const int stages = foreflow::schedule::stages(strategy.schedule->mapping, strategy.schedule_size);
  if (strategy.shares.empty() || static_cast<int>(strategy.shares.size()) == stages) return std::nullopt;
  return source.refused(kKey, "has " + std::to_string(strategy.shares.size()) + " shares for " +
                                  std::to_string(stages) + " stages; write one for each");
}

Json write(const Strategy& strategy) {
  std::string text;
  for (const double share : strategy.shares) text += fmt::format("{}{}", text.empty() ? "" : ":", share);
  return text.empty() ? Json() : Json(text);
}

}  // namespace

StrategyKeyDef row() {
  return {.name       = kKey,
          .doc        = "how the work is divided over the stages: one number for each, in the order of the stages",
          .type       = types::text("numbers above 0 such as \"13:11\""),
          .otherwise  = "equal shares",
          .read       = read,
          .settle     = settle,
          .depends_on = {"stage_shares", "virtual_stages", "schedule", "pp", "microbatches", "microbatch_size",
                         "global_batch", "dp"},
          .write      = write};
}

}  // namespace foreflow::scenario::definitions::stage_shares_key
