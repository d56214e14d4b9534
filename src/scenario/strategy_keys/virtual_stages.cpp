#include <bit>

#include "foreflow/schedule/plan.h"
#include "scenario/read.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::virtual_stages_key {
namespace {

void read(const JsonView& value, Strategy&) { positive(value, kMostLayers); }

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  constexpr std::string_view kKey = "virtual_stages";
  const bool stated               = source.has(kKey);
  const std::string_view key      = stated ? kKey : "schedule";
  std::optional<int> wanted;
  if (stated) wanted = static_cast<int>(positive(source.json.at(kKey), kMostLayers));
  const auto size = schedule::try_size(*strategy.schedule, strategy.pp, strategy.microbatches, wanted);
  if (!size) return source.refused(key, size.refusal().why);
  strategy.schedule_size = *size;
  const int stages       = schedule::stages(strategy.schedule->mapping, strategy.schedule_size);
  const int64_t layers   = layers_counted(source.workload, strategy);
  if (layers > 0 && stages > layers) {
    return source.refused(key, std::to_string(strategy.pp) + " devices x " + std::to_string(stages / strategy.pp) +
                                   " stages are more than the " + std::to_string(layers) + " layers; use fewer" +
                                   or_count_more(source.workload, strategy, stages));
  }
  return std::nullopt;
}

Json write(const Strategy& strategy) {
  return strategy.schedule->chunks == schedule::kAnyChunks ? Json(strategy.schedule_size.chunks) : Json();
}

// Whole numbers of layers for each stage. Two chunks are the last resort: they are refused with a reason.
std::vector<Json> chunks_of_layers(int64_t devices, int64_t layers) {
  std::vector<Json> values;
  for (int64_t chunks = 2; chunks * devices <= layers; ++chunks) {
    if (layers % (chunks * devices) == 0) values.emplace_back(chunks);
  }
  return values.empty() ? std::vector<Json>{Json(int64_t{2})} : values;
}

std::vector<Json> legal(const SpaceFacts& facts, const Json& point) {
  const schedule::ScheduleDef* chosen = schedule::schedules().find(word_or(point, "schedule", "1f1b"));
  if (chosen == nullptr || chosen->chunks != schedule::kAnyChunks || !is_pipelined(point)) return {};
  const int64_t stages = whole_or(point, "pp", 1), layers = facts.layers + counted_as_layers(point);
  if (facts.layers > 0 && cuts_at_layers(point)) return chunks_of_layers(stages, layers);
  std::vector<Json> values = {Json(int64_t{2})};
  for (int64_t chunks = 3; chunks * stages <= layers; ++chunks) {
    if (std::has_single_bit(static_cast<uint64_t>(chunks)) || layers % (chunks * stages) == 0)
      values.emplace_back(chunks);
  }
  return values;
}

}  // namespace

StrategyKeyDef row() {
  return {.name = "virtual_stages",
          .doc =
              "stages of each device, for schedules that interleave them; a search tries powers of two, and "
              "the numbers that cut the layers evenly",
          .type       = types::whole(1, kMostLayers),
          .otherwise  = "as many as the schedule has; 2 where it may be any number",
          .read       = read,
          .settle     = settle,
          .depends_on = {"virtual_stages", "schedule", "pp", "microbatches", "microbatch_size", "global_batch", "dp",
                         "count_as_layers"},
          .write      = write,
          .search     = {.searched = Searched::always, .turn = 30, .legal = legal}};
}

}  // namespace foreflow::scenario::definitions::virtual_stages_key
