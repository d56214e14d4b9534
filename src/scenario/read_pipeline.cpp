
#include "foreflow/base/text.h"
#include "foreflow/schedule/plan.h"
#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

// "13:11": how the work is divided over the stages, one number a stage.
std::vector<double> read_shares(const JsonView& json, int stages) {
  std::vector<double> shares;
  if (!json.has("stage_shares")) return shares;
  const JsonView text = json.at("stage_shares");
  for (const std::string& word : split(text.as_string(), ':')) {
    const auto share = parse_number<double>(word);
    if (!share || !(*share > 0)) text.fail("\"" + word + "\" is not a number above 0; write one like \"13:11\"");
    shares.push_back(*share);
  }
  if (static_cast<int>(shares.size()) != stages) {
    text.fail("has " + std::to_string(shares.size()) + " shares for " + std::to_string(stages) +
              " stages; write one for each");
  }
  return shares;
}

// Stated shares are of the arithmetic, unless they are said to be of time.
transform::StagePartition read_partition(const JsonView& json) {
  const std::string partition = json.string_or("stage_partition", json.has("stage_shares") ? "uniform" : "balanced");
  if (partition == "balanced") return transform::StagePartition::balanced;
  if (partition != "uniform") json.at("stage_partition").fail("is \"" + partition + "\"; write balanced or uniform");
  return transform::StagePartition::uniform;
}

std::string where_of(const JsonView& json, std::string_view key) {
  return json.has(key) ? json.at(key).where() : json.where();
}

}  // namespace

void read_pipeline(const JsonView& json, const Workload& workload, int64_t layers, Strategy& strategy) {
  const std::string where = where_of(json, "schedule");
  strategy.schedule       = &schedule::schedules().get(json.string_or("schedule", "1f1b"), where);
  const bool built        = workload.source != Workload::Source::distir;  // else the file says whether it trains
  const bool trains       = built && workload.mode == workload::Mode::training;
  if (trains && !strategy.schedule->trains)
    throw Error(where, "\"" + std::string(strategy.schedule->name) + "\" has no backward passes; use 1f1b to train");
  const bool stated = json.has("virtual_stages");
  std::optional<int> wanted;
  if (stated) wanted = static_cast<int>(positive_or(json, "virtual_stages", 1, kMostLayers));
  const std::string size = stated ? where_of(json, "virtual_stages") : where;
  strategy.schedule_size = schedule::checked_size(*strategy.schedule, strategy.pp, strategy.microbatches, wanted, size);
  const int stages       = schedule::stages(strategy.schedule->placement, strategy.schedule_size);
  if (layers > 0 && stages > layers) {
    throw Error(size, std::to_string(strategy.pp) + " devices x " + std::to_string(stages / strategy.pp) +
                          " stages are more than the " + std::to_string(layers) + " layers; use fewer");
  }
  strategy.partition              = read_partition(json);
  strategy.shares                 = read_shares(json, stages);
  strategy.delay_weight_gradients = json.bool_or("delay_weight_gradients", false);
  const std::string refusal       = schedule::refuse_delay(*strategy.schedule);
  if (strategy.delay_weight_gradients && !refusal.empty()) json.at("delay_weight_gradients").fail(refusal);
  if (strategy.delay_weight_gradients && built && !trains)
    json.at("delay_weight_gradients").fail("true delays what training does, and this is inference; use false");
}

}  // namespace foreflow::scenario
