#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::stage_sequence_parallel_key {
namespace {

constexpr std::string_view kKey = "stage_sequence_parallel", kEqual = "equal";

void read(const JsonView& value, Strategy& strategy) {
  if (value.as_string() == kEqual) return;
  for (const std::string& word : split(value.as_string(), ':')) {
    if (word != "true" && word != "false")
      value.fail("\"" + word + "\" is neither true nor false; write one for each stage, like \"true:false\"");
    strategy.stage_sequence.push_back(word == "true");
  }
}

std::optional<Refusal> check(const StrategySource& source, const Strategy& strategy) {
  const auto& stages = strategy.stage_sequence;
  if (static_cast<int>(stages.size()) != strategy.pp) {
    return source.refused(kKey, "has " + std::to_string(stages.size()) + " values for pp = " +
                                    std::to_string(strategy.pp) + "; write one for each device of the pipeline");
  }
  const bool some = std::find(stages.begin(), stages.end(), true) != stages.end();
  if (source.has("sequence_parallel") && strategy.sequence_parallel != some)
    return source.refused("sequence_parallel", "contradicts stage_sequence_parallel; leave one of the two out");
  for (int device = 0; device < strategy.pp; ++device) {
    if (!nth(stages, device)) continue;
    const int tp = strategy.shards_of(device);
    if (tp == 1) return source.refused(kKey, "is true for a stage of one shard; use false there");
    if (auto no = check_padded(source, kKey, "sequence", tp)) return no;
  }
  return std::nullopt;
}

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  auto& stages = strategy.stage_sequence;
  if (stages.empty()) return std::nullopt;
  if (auto no = check(source, strategy)) return no;
  const auto on              = std::count(stages.begin(), stages.end(), true);
  strategy.sequence_parallel = on > 0;
  const bool all             = on == 0 || on == static_cast<std::ptrdiff_t>(stages.size());
  if (all) stages.clear();
  if (all) return std::nullopt;
  if (strategy.stage_tp.empty()) strategy.stage_tp.assign(static_cast<size_t>(strategy.pp), strategy.tp);
  return check_stages(source, kKey, strategy);
}

Json write(const Strategy& strategy) {
  std::string text;
  for (const bool on : strategy.stage_sequence) text += std::string(text.empty() ? "" : ":") + (on ? "true" : "false");
  return text.empty() ? Json(kEqual) : Json(text);
}

// Two runs of stages, one of them with sequence parallelism, where that is what the point asks for.
std::vector<Json> legal(const SpaceFacts&, const Json& point) {
  const Json* wanted = point.find("sequence_parallel");
  if (wanted == nullptr || *wanted != Json(true) || !is_pipelined(point)) return {};
  std::vector<Json> values = {Json(kEqual)};
  const auto shards        = split(word_or(point, "stage_tp", kEqual), ':');
  for (const std::string& text : in_two_runs(whole_or(point, "pp", 1), "true", "false")) {
    const auto flags = split(text, ':');
    bool fits        = true;
    for (size_t s = 0; s < std::min(flags.size(), shards.size()); ++s)
      fits = fits && !(flags[s] == "true" && shards[s] == "1");
    if (fits) values.emplace_back(text);
  }
  return values;
}

}  // namespace

StrategyKeyDef row() {
  return {.name       = kKey,
          .doc        = "sequence_parallel for each device of the pipeline, where only some stages have it",
          .type       = types::text("\"equal\", or true or false for each, such as \"true:false\""),
          .fallback   = kEqual,
          .read       = read,
          .settle     = settle,
          .depends_on = {"stage_sequence_parallel", "stage_tp", "sequence_parallel", "vocabulary_parallel", "dp", "tp",
                         "pp", "cp", "ep", "stage_cp", "context_attention"},
          .write      = write,
          .of_one_replica = true,
          .search         = {.searched = Searched::on_demand, .turn = 71, .legal = legal}};
}

}  // namespace foreflow::scenario::definitions::stage_sequence_parallel_key
