#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/cost/load.h"
#include "scenario/collective_groups.h"
#include "scenario/keys/sections.h"
#include "scenario/library.h"
#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

bool is_file(const std::string& name) { return name.ends_with(".json"); }

lower::Algorithms read_algorithms(const JsonView& json) {
  lower::Algorithms chosen{};
  for (const collective::KindDef& kind : collective::kinds()) {
    if (!json.has(kind.name)) continue;
    const JsonView choice                     = json.at(kind.name);
    const collective::AlgorithmDef& algorithm = collective::algorithms().get(choice.as_string(), choice.where());
    if (!algorithm.does(kind.kind))
      choice.fail(choice.as_string() + " does not do " + std::string(kind.name) + "; see foreflow list collectives");
    nth(chosen, kind.kind) = &algorithm;
  }
  return chosen;
}

// The parameters of a cost model that prices products of Float32 on the units of TF32.
Json with_tf32(const JsonView& cost) {
  if (cost.has("tf32") && !cost.at("tf32").as_bool())
    cost.at("tf32").fail("is false, but workload.dtype is tf32; leave it out, or write f32 there");
  const std::string name = cost.string_or("model", std::string(cost::default_model(cost.json())));
  const auto has_key     = [](const KeyDef& key) { return key.name == "tf32"; };
  const auto& known      = cost::cost_models();
  for (const cost::CostModelDef& model : known) {
    if (model.name == name && std::none_of(model.keys.begin(), model.keys.end(), has_key))
      cost.at("model").fail(name + " has no times for workload.dtype tf32; write f32 there, or roofline here");
  }
  return Json(cost.json()).set("tf32", true);
}

}  // namespace

PlatformChoice read_platform(const JsonView& json) {
  PlatformChoice choice;
  if (!json.has("file")) {
    choice.recipe = platform::read_recipe(json);
    return choice;
  }
  for (const char* key : {"topology", "nodes", "parts", "sites", "wan", "fabric"}) {
    if (json.has(key)) json.at(key).fail("stands beside \"file\", which says it itself; leave out one of them");
  }
  json.allow_only(names_of(platform_file_keys()));
  choice.changes = platform::read_link_changes(json);
  choice.devices = platform::read_device_plan(json);
  choice.path    = file_named(json.at("file"));
  return choice;
}

bool asks_for_tf32(const JsonView& cost, const Workload& workload) {
  return workload.dtype == ir::DType::f32 && cost.has("tf32") && cost.at("tf32").as_bool();
}

cost::CostModel read_cost(const JsonView& json, const Strategy& strategy, const Workload& workload) {
  const std::string name = json.string_or("model", "roofline");
  const Json chosen      = workload.tf32 ? with_tf32(json) : json.json();
  const JsonView parameters(chosen, json.file(), json.path());
  return is_file(name) ? cost::load_model(beside(json.file(), name), chosen, strategy.devices())
                       : cost::make_model(workload.tf32 ? parameters : json, strategy.devices());
}

int read_channels(const JsonView& json) {
  if (!json.has("channels")) return 0;
  const int64_t channels = json.at("channels").as_int();
  if (channels < 0 || channels > kMostChannels)
    json.at("channels").fail("is " + std::to_string(channels) + "; use 0 to " + std::to_string(kMostChannels));
  return static_cast<int>(channels);
}

lower::Options read_collectives(const JsonView& json, const Strategy& strategy, const cost::CostModel& cost) {
  json.allow_only(names_of(collective_keys()));
  lower::Options options;
  options.algorithms = read_algorithms(json);
  if (json.has("library")) {
    const JsonView library = json.at("library");
    const auto& chooses    = library_named(library.as_string(), library.where(), cost);
    for (const collective::AlgorithmDef*& algorithm : options.algorithms) {
      if (algorithm == nullptr) algorithm = &chooses;
    }
  }
  options.collective_start = short_time_or_none(json, "start");
  options.message_start    = short_time_or_none(json, "message_start");
  for (const CollectiveGroup& group : collective_groups()) {
    if (!json.has(group.name)) continue;
    json.at(group.name).allow_only(names_of(group_collective_keys()));
    if (strategy.has_unequal_stages() && group.name != "dp")
      json.at(group.name)
          .fail(
              "has algorithms for groups of one size, and stages that are sharded in different ways make unequal ones; "
              "leave it out");
    lower::GroupAlgorithms own = group.ranks(strategy);
    own.algorithms             = read_algorithms(json.at(group.name));
    options.groups.push_back(own);
  }
  return options;
}

}  // namespace foreflow::scenario
