#include <algorithm>

#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::stage_cp_key {
namespace {

constexpr std::string_view kKey = "stage_cp", kEqual = "equal";

// The keys that are settled before know the largest degree as `cp`.
void read(const JsonView& value, Strategy& strategy) {
  strategy.stage_cp = read_degrees(value, "number of ranks that share sequences");
  if (!strategy.stage_cp.empty()) strategy.cp = *std::max_element(strategy.stage_cp.begin(), strategy.stage_cp.end());
}

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  auto& cp = strategy.stage_cp;
  if (cp.empty()) return std::nullopt;
  if (auto no = check_degrees(source, kKey, cp, strategy.pp, "cp")) return no;
  if (std::all_of(cp.begin(), cp.end(), [&](int degree) { return degree == strategy.cp; })) {
    cp.clear();
    return std::nullopt;
  }
  if (strategy.stage_tp.empty()) strategy.stage_tp.assign(static_cast<size_t>(strategy.pp), strategy.tp);
  return check_stages(source, kKey, strategy);
}

Json write(const Strategy& strategy) { return write_degrees(strategy.stage_cp); }

// Stages in two runs that use all devices, as those of stage_tp.
std::vector<Json> legal(const SpaceFacts& facts, const Json& point) {
  return degrees_of_stages(point, kKey, whole_or(point, "cp", 1),
                           [&](const Json& one) { return devices_of(one) == facts.devices; });
}

}  // namespace

StrategyKeyDef row() {
  return {
      .name = kKey,
      .doc =
          "the ranks that share each sequence in each stage where they are not equal: a number for each device of the "
          "pipeline, as stage_tp. Devices are then dp x the sum of tp x cp over the stages",
      .type           = types::text("\"equal\", or whole numbers such as \"2:1\""),
      .fallback       = kEqual,
      .read           = read,
      .settle         = settle,
      .depends_on     = {"stage_cp", "stage_tp", "stage_sequence_parallel", "dp", "tp", "pp", "cp", "ep",
                         "sequence_parallel", "vocabulary_parallel", "context_attention"},
      .write          = write,
      .of_one_replica = true,
      .search         = {.searched = Searched::on_demand, .turn = 6, .legal = legal, .is_degree = true}};
}

}  // namespace foreflow::scenario::definitions::stage_cp_key
