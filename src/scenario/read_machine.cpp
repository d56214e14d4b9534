#include "foreflow/cost/load.h"
#include "foreflow/transform/split_data.h"
#include "scenario/keys/sections.h"
#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

bool is_file(const std::string& name) { return name.ends_with(".json"); }

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (int kind = 0; kind < collective::kKinds; ++kind)
    names.emplace_back(collective::name(static_cast<collective::Kind>(kind)));
  return names;
}

lower::Algorithms read_algorithms(const JsonView& json) {
  const std::vector<std::string> kinds = kind_names();
  lower::Algorithms algorithms{};
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    if (!json.has(kinds[kind])) continue;
    const JsonView choice = json.at(kinds[kind]);
    algorithms[kind]      = &collective::algorithms().get(choice.as_string(), choice.where());
    if (algorithms[kind]->does(static_cast<collective::Kind>(kind))) continue;
    choice.fail(choice.as_string() + " does not do " + kinds[kind] + "; see foreflow list collectives");
  }
  return algorithms;
}

}  // namespace

PlatformChoice read_platform(const JsonView& json) {
  PlatformChoice choice;
  if (!json.has("file")) {
    choice.recipe = platform::read_recipe(json);
    return choice;
  }
  for (const char* key : {"topology", "nodes", "parts", "fabric"}) {
    if (json.has(key)) json.at(key).fail("stands beside \"file\", which says it itself; leave out one of them");
  }
  json.allow_only(names_of(platform_file_keys()));
  choice.changes = platform::read_link_changes(json);
  choice.path    = beside(json.file(), json.at("file").as_string());
  return choice;
}

cost::CostModel read_cost(const JsonView& json, int devices) {
  const std::string name = json.string_or("model", "roofline");
  return is_file(name) ? cost::load_model(beside(json.file(), name), json.json(), devices)
                       : cost::make_model(json, devices);
}

lower::Options read_collectives(const JsonView& json, const Strategy& strategy) {
  const std::vector<std::string> kinds = kind_names();
  // As programs number their ranks: see places.cpp.
  const int sharing = transform::replicas_in_group(strategy.cp, strategy.ep), context = strategy.tp * strategy.cp;
  const std::array groups{
      std::pair{"tp", lower::GroupAlgorithms{1, strategy.tp}},
      std::pair{"cp", lower::GroupAlgorithms{strategy.tp, strategy.cp}},
      std::pair{"ep", lower::GroupAlgorithms{strategy.tp, strategy.cp * sharing}},
      std::pair{"pp", lower::GroupAlgorithms{context * sharing, strategy.pp}},
      std::pair{"dp", lower::GroupAlgorithms{context * sharing * strategy.pp, strategy.dp / sharing}}};
  json.allow_only(names_of(collective_keys()));
  lower::Options options;
  options.algorithms = read_algorithms(json);
  for (auto [name, group] : groups) {
    if (!json.has(name)) continue;
    json.at(name).allow_only(names_of(group_collective_keys()));
    group.algorithms = read_algorithms(json.at(name));
    options.groups.push_back(group);
  }
  return options;
}

}  // namespace foreflow::scenario
