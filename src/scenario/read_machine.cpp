#include "foreflow/cost/load.h"
#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

bool is_file(const std::string& name) { return name.ends_with(".json"); }

cost::CostModel make(const JsonView& parameters) {
  const std::string name  = parameters.string_or("model", "roofline");
  const std::string where = parameters.has("model") ? parameters.at("model").where() : parameters.where();
  return cost::cost_models().get(name, where).make(parameters);
}

}  // namespace

PlatformChoice read_platform(const JsonView& json) {
  PlatformChoice choice;
  if (!json.has("file")) {
    choice.recipe = platform::read_recipe(json);
    return choice;
  }
  json.allow_only({"file", "links"});
  choice.changes = platform::read_link_changes(json);
  choice.path    = beside(json.file(), json.at("file").as_string());
  return choice;
}

cost::CostModel read_cost(const JsonView& json) {
  const std::string name = json.string_or("model", "roofline");
  return is_file(name) ? cost::load_model(beside(json.file(), name), json.json()) : make(json);
}

lower::Options read_collectives(const JsonView& json) {
  std::vector<std::string> kinds;
  for (int kind = 0; kind < collective::kKinds; ++kind)
    kinds.emplace_back(collective::name(static_cast<collective::Kind>(kind)));
  json.allow_only(kinds);
  lower::Options options;
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    if (!json.has(kinds[kind])) continue;
    const JsonView choice    = json.at(kinds[kind]);
    options.algorithms[kind] = &collective::algorithms().get(choice.as_string(), choice.where());
    const auto& algorithm    = *options.algorithms[kind];
    if (algorithm.does(static_cast<collective::Kind>(kind))) continue;
    choice.fail(choice.as_string() + " does not do " + kinds[kind] + "; see foreflow list collectives");
  }
  return options;
}

}  // namespace foreflow::scenario
