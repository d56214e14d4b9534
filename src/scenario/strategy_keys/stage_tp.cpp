#include <algorithm>

#include "foreflow/base/text.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::stage_tp_key {
namespace {

constexpr std::string_view kKey = "stage_tp", kEqual = "equal";

void read(const JsonView& value, Strategy& strategy) {
  if (value.as_string() == kEqual) return;
  for (const std::string& word : split(value.as_string(), ':')) {
    const auto degree = parse_number<int>(word);
    if (!degree || *degree < 1 || *degree > kMostRanks)
      value.fail("\"" + word + "\" is no number of shards; write one for each stage, like \"4:2\"");
    strategy.stage_tp.push_back(*degree);
  }
}

std::optional<Refusal> check(const StrategySource& source, const Strategy& strategy) {
  const auto& tp = strategy.stage_tp;
  if (static_cast<int>(tp.size()) != strategy.pp) {
    return source.refused(kKey, "has " + std::to_string(tp.size()) + " degrees for pp = " +
                                    std::to_string(strategy.pp) + "; write one for each device of the pipeline");
  }
  int64_t devices = 0;
  for (const int degree : tp) devices += degree;
  if (devices * strategy.dp > kMostRanks)
    return source.refused(kKey, std::to_string(strategy.dp) + " replicas of " + std::to_string(devices) +
                                    " devices are too many; use at most " + std::to_string(kMostRanks));
  const int most = *std::max_element(tp.begin(), tp.end());
  if (source.has("tp") && strategy.tp != most)
    return source.refused("tp", std::to_string(strategy.tp) + " is not the largest of stage_tp, which is " +
                                    std::to_string(most) + "; leave one of the two out");
  if (strategy.cp > 1)
    return source.refused(kKey, "stages of unequal tp share no sequences; use cp = 1, or tp in its place");
  if (strategy.ep > 1)
    return source.refused(kKey, "stages of unequal tp share no experts; use ep = 1, or tp in its place");
  for (const int degree : tp) {
    if (auto no = check_shards(source, kKey, degree)) return no;
    if (strategy.sequence_parallel) {
      if (auto no = check_padded(source, kKey, "sequence", degree)) return no;
    }
    if (strategy.vocabulary_parallel) {
      if (auto no = check_padded(source, kKey, "vocabulary", degree)) return no;
    }
  }
  return std::nullopt;
}

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  auto& tp = strategy.stage_tp;
  if (tp.empty()) return std::nullopt;
  if (auto no = check(source, strategy)) return no;
  strategy.tp = *std::max_element(tp.begin(), tp.end());
  // Equal stages are those of tp; stage_sequence_parallel, which is settled later, may make them unequal again.
  if (std::all_of(tp.begin(), tp.end(), [&](int degree) { return degree == strategy.tp; })) tp.clear();
  return std::nullopt;
}

Json write(const Strategy& strategy) {
  std::string text;
  for (const int degree : strategy.stage_tp) text += (text.empty() ? "" : ":") + std::to_string(degree);
  return text.empty() ? Json(kEqual) : Json(text);
}

// Stages in two runs, the one with the most shards before or behind the other, that use all devices. Whatever else a
// scenario lists is legal, too.
std::vector<Json> legal(const SpaceFacts& facts, const Json& point) {
  const int64_t most = whole_or(point, "tp", 1), stages = whole_or(point, "pp", 1);
  if (most < 1 || stages < 2 || whole_or(point, "cp", 1) > 1 || whole_or(point, "ep", 1) > 1) return {};
  std::vector<Json> values = {Json(kEqual)};
  for (const int64_t few : divisors(most)) {
    for (int64_t first = 1; first < stages && few < most; ++first) {
      for (const bool most_first : {true, false}) {
        std::string text;
        for (int64_t s = 0; s < stages; ++s)
          text += (s > 0 ? ":" : "") + std::to_string((s < first) == most_first ? most : few);
        if (devices_of(Json(point).set(kKey, text)) == facts.devices) values.emplace_back(text);
      }
    }
  }
  return values;
}

}  // namespace

StrategyKeyDef row() {
  return {
      .name = kKey,
      .doc =
          "the shards of each stage where they are not equal: a number for each device of the pipeline, which has as "
          "many devices and as much more of the work; tensors change their layout between such stages (Reshard). "
          "Devices are then dp x the sum",
      .type           = types::text("\"equal\", or whole numbers such as \"4:2\""),
      .fallback       = kEqual,
      .read           = read,
      .settle         = settle,
      .depends_on     = {"stage_tp", "dp", "tp", "pp", "cp", "ep", "sequence_parallel", "vocabulary_parallel"},
      .write          = write,
      .of_one_replica = true,
      .search         = {.searched = Searched::on_demand, .turn = 5, .legal = legal, .is_degree = true}};
}

}  // namespace foreflow::scenario::definitions::stage_tp_key
