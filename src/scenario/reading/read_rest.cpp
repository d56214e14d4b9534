#include "scenario/reading/read_rest.h"

#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

// For parts that a scenario may leave out.
const Json& empty_parts() {
  static const Json parts = [] {
    Json all;
    for (const char* key : {"cost", "host", "collective", "strategy", "placement"}) all.set(key, Json::object());
    return all;
  }();
  return parts;
}

}  // namespace

JsonView part_or_empty(const JsonView& root, std::string_view key) {
  return root.has(key) ? root.at(key) : JsonView(empty_parts(), root.file()).at(key);
}

void read_rest(const JsonView& root, Scenario& scenario) {
  const JsonView cost    = part_or_empty(root, "cost");
  scenario.cost          = read_cost(cost, scenario.strategy, scenario.workload);
  scenario.workload.tf32 = scenario.workload.tf32 || asks_for_tf32(cost, scenario.workload);
  adapt_to(scenario.cost, part_or_empty(root, "strategy"), scenario.strategy);
  scenario.collectives = read_collectives(part_or_empty(root, "collective"), scenario.strategy, scenario.cost);
  scenario.channels    = read_channels(part_or_empty(root, "collective"));
  scenario.collectives.resharding = scenario.strategy.resharding;
  scenario.collectives.fuses      = scenario.strategy.fuses;
  scenario.host                   = read_host(part_or_empty(root, "host"));
  scenario.collectives.host       = scenario.host.taken();
  scenario.stated                 = read_stated_keys(root);
}

}  // namespace foreflow::scenario
