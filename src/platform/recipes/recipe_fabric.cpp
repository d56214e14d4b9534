// The fabric of a recipe, and how messages cross it.
#include <fmt/core.h>

#include <map>
#include <optional>

#include "foreflow/base/text.h"
#include "platform/recipes/recipe_parts.h"

namespace foreflow::platform {
namespace {

// Returns the fabric that joins the nodes if the recipe names none: that of the topology of all nodes, or of the first
// of them.
std::string_view usual_fabric(const JsonView& json) {
  std::optional<JsonView> part = json;
  if (json.has("parts")) {
    const std::vector<JsonView> parts = json.at("parts").items();
    part                              = parts.empty() ? std::nullopt : std::optional(parts.front());
  }
  if (!part || !part->has("topology")) return fabrics().begin()->name;
  return find_topology(part->at("topology").as_string(), part->at("topology").where()).fabric;
}

// A parameter of other fabrics is no misspelling.
void refuse_other_parameters(const JsonView& json, const FabricDef& fabric) {
  std::map<std::string, std::vector<std::string>> fabrics_with;
  for (const FabricDef& other : fabrics()) {
    for (const KeyDef& parameter : other.parameters) fabrics_with[parameter.name].emplace_back(other.name);
  }
  for (const KeyDef& parameter : fabric.parameters) fabrics_with.erase(parameter.name);
  for (const auto& [key, value] : json.members()) {
    const auto found = fabrics_with.find(key);
    if (found == fabrics_with.end()) continue;
    if (key == "oversubscription" && !fabric.not_oversubscribed.empty()) {
      value.fail(fmt::format("means nothing on the fabric {}: {}; leave it out or use the fabric {}", fabric.name,
                             fabric.not_oversubscribed, list_or(found->second)));
    }
    value.fail(fmt::format("the fabric {} has no such parameter; leave it out or use the fabric {}", fabric.name,
                           list_or(found->second)));
  }
}

}  // namespace

void check_keys(const JsonView& json, const FabricDef& fabric, const Keys& besides) {
  refuse_other_parameters(json, fabric);
  std::vector<std::string> keys = {"fabric"};
  const auto add                = [&](const Keys& more) {
    for (const KeyDef& key : more) keys.push_back(key.name);
  };
  add(besides);
  add(fabric.parameters);
  if (!json.has("parts")) {
    add(part_keys());
    return json.allow_only(keys);
  }
  if (json.at("parts").items().empty()) json.at("parts").fail("is empty; name at least one topology");
  keys.emplace_back("parts");
  for (const KeyDef& key : part_keys()) {
    if (json.has(key.name)) json.at(key.name).fail("stands beside \"parts\"; each part has its own");
  }
  json.allow_only(keys);
}

const FabricDef& fabric_of(const JsonView& json) {
  const std::string fabric = json.string_or("fabric", std::string(usual_fabric(json)));
  return fabrics().get(fabric, json.has("fabric") ? json.at("fabric").where() : json.where());
}

RoutingChoice read_routing(const JsonView& json, const FabricDef& fabric, const std::vector<Part>& parts) {
  const bool old = json.has("ecmp");
  if (old && json.has("routing")) json.at("ecmp").fail("stands beside \"routing\", which says it too; leave out one");
  const auto knows = [&](std::string_view name) {
    return std::find(fabric.routings.begin(), fabric.routings.end(), name) != fabric.routings.end();
  };
  if (!old && !json.has("routing")) {
    if (parts.empty() || parts.front().network == nullptr) return {};
    const RoutingDef& usual = routings().get(parts.front().network->routing, "networks");
    if (usual.of_ties) return {std::string(usual.name), ""};
    return {"dmodk", knows(usual.name) ? std::string(usual.name) : ""};
  }
  const JsonView value    = json.at(old ? "ecmp" : "routing");
  const std::string& name = value.as_string();
  const RoutingDef* row   = routings().find(name);
  if (row != nullptr && row->of_ties) return {name, ""};
  if (!old && knows(name)) return {"dmodk", name};
  std::vector<std::string> all;
  for (const RoutingDef& routing : routings()) {
    if (routing.of_ties || (!old && knows(routing.name))) all.emplace_back(routing.name);
  }
  if (old) {
    value.fail(fmt::format("unknown rule \"{}\" to choose among shortest paths; use {}", name, list_or(all)));
  }
  value.fail(fmt::format("the fabric {} has no routing \"{}\"; use {}", fabric.name, name, list_or(all)));
}

}  // namespace foreflow::platform
