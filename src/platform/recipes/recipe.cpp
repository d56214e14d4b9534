#include "foreflow/platform/recipe.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "foreflow/base/text.h"
#include "foreflow/platform/cpu.h"
#include "platform/layout/layout.h"
#include "platform/parameters.h"
#include "platform/recipes/recipe_parts.h"

namespace foreflow::platform {
namespace {

std::string divisors(int number) {
  std::vector<std::string> all;
  for (int i = 1; i <= number; ++i) {
    if (number % i == 0) all.push_back(std::to_string(i));
  }
  return list_or(all);
}

// Cuts the nodes into as many as they have NVLink domains: between domains there is nothing but the fabric.
void cut(Part& part, const JsonView& domain) {
  const std::string name(part.topology->name);
  if (!part.topology->domains) domain.fail(fmt::format("the GPUs of a {} are on no NVSwitch; leave it out", name));
  const int64_t gpus = domain.as_int();
  if (gpus < 1 || part.gpus % gpus != 0) {
    domain.fail(
        fmt::format("{} does not divide the {} GPUs of a {}; use {}", gpus, part.gpus, name, divisors(part.gpus)));
  }
  const int domains = part.gpus / static_cast<int>(gpus);
  if (part.nics % domains != 0) {
    domain.fail(fmt::format(
        "the {} NICs of a {} cannot be shared out to {} domains of {} GPUs; use a multiple of {} as nics_per_node",
        part.nics, name, domains, gpus, domains));
  }
  part.nodes *= domains;
  part.gpus /= domains;
  part.nics /= domains;
}

Part read_part(const JsonView& json) {
  Part part;
  part.topology = &find_topology(json.at("topology").as_string(), json.at("topology").where());
  part.nodes    = whole_or(json, "nodes", part.topology->default_nodes, 1, static_cast<int>(kMostDevices));
  part.gpus     = whole_or(json, "gpus_per_node", part.topology->gpus.usual, 1, part.topology->gpus.most);
  part.nics     = whole_or(json, "nics_per_node", part.topology->nics.usual, 1, part.topology->nics.most);
  if (json.has("device")) part.device = read_device(json.at("device"));
  if (json.has("cpu")) part.device.cpu = read_cpu(json.at("cpu"));
  if (json.has("network")) part.network = &networks().get(json.at("network").as_string(), json.at("network").where());
  if (json.has("nvlink_domain")) cut(part, json.at("nvlink_domain"));
  return part;
}

// Equal neighbours are one part.
std::vector<Part> read_parts(const JsonView& json) {
  if (!json.has("parts")) return {read_part(json)};
  std::vector<Part> parts;
  for (const JsonView& item : json.at("parts").items()) {
    item.allow_only(names_of(part_keys()));
    Part part       = read_part(item);
    const int nodes = part.nodes;
    if (!parts.empty()) part.nodes = parts.back().nodes;
    if (!parts.empty() && parts.back() == part) {
      parts.back().nodes += nodes;
      continue;
    }
    part.nodes = nodes;
    parts.push_back(std::move(part));
  }
  return parts;
}

void check_size(const JsonView& json, const std::vector<Part>& parts) {
  int64_t devices = 0, nics = 0;
  for (const Part& part : parts) {
    devices += int64_t{part.nodes} * part.gpus;
    nics += int64_t{part.nodes} * part.nics;
  }
  if (std::max(devices, nics) <= kMostDevices) return;
  json.at(json.has("nodes")   ? "nodes"
          : json.has("sites") ? "sites"
          : json.has("parts") ? "parts"
                              : "gpus_per_node")
      .fail(fmt::format("{} devices and {} NICs are too many; use at most {} of each", devices, nics, kMostDevices));
}

void check_links(const JsonView& json, const Recipe& recipe) {
  const Layout layout(recipe);
  std::set<std::string> kinds, names;
  for (const Link& link : layout.link_kinds()) kinds.insert(link.kind);
  const bool known = std::all_of(recipe.links.begin(), recipe.links.end(), [&](const auto& change) {
    return kinds.contains(change.first) || layout.find_cable(change.first);
  });
  if (known) return;
  for (int cable = 0; cable < layout.cables(); ++cable) names.insert(layout.cable_name(cable));
  check_link_changes(json, kinds, names);
}

}  // namespace

std::vector<Part> read_nodes(const JsonView& json) {
  if (!json.has("topology") && !json.has("parts"))
    json.fail("says no platform; give \"topology\", \"parts\", \"sites\" or \"file\"");
  std::vector<Part> parts = read_parts(json);
  check_size(json, parts);
  return parts;
}

Recipe read_recipe(const JsonView& json) {
  Recipe recipe;
  if (json.has("sites")) {
    recipe = read_sites(json);
    check_size(json, recipe.parts);
  } else {
    const FabricDef& fabric = fabric_of(json);
    check_keys(json, fabric, machine_keys());
    recipe.parts             = read_nodes(json);
    const RoutingChoice ways = read_routing(json, fabric, recipe.parts);
    recipe.fabric            = &fabric;
    recipe.ecmp              = ways.ties;
    recipe.routing           = ways.own;
    recipe.settings          = fabric.read(json, outlets_of(recipe.parts, ways.own));
  }
  recipe.sharp = json.bool_or("sharp", false);
  recipe.links = read_link_changes(json);
  if (!recipe.links.empty()) check_links(json, recipe);
  return recipe;
}

namespace {

Recipe with_latencies_only(Recipe recipe) {
  LinkChanges latencies;
  for (const auto& [links, numbers] : recipe.links) {
    if (!numbers.stated.contains("latency")) continue;
    latencies[links].stated         = {"latency"};
    latencies[links].values.latency = numbers.values.latency;
  }
  recipe.links = std::move(latencies);
  return recipe;
}

}  // namespace

bool have_equal_routes(const Recipe& a, const Recipe& b) { return with_latencies_only(a) == with_latencies_only(b); }

std::vector<std::pair<std::string, std::string>> defaults_of(const TopologyDef& topology) {
  const auto text = [](const Count& range) { return fmt::format("{} (at most {})", range.usual, range.most); };
  std::vector<std::pair<std::string, std::string>> all = {{"nodes", std::to_string(topology.default_nodes)}};
  if (topology.gpus.most > 1) all.emplace_back("gpus_per_node", text(topology.gpus));
  if (topology.nics.most > 1) all.emplace_back("nics_per_node", text(topology.nics));
  if (topology.domains) all.emplace_back("nvlink_domain", "gpus_per_node");
  return all;
}

Recipe recipe_of(const TopologyDef& topology, int nodes) {
  const std::string name(topology.name);
  if (nodes < 1) throw Error(name, fmt::format("{} nodes; use 1 or more", nodes));
  const Json json = Json::object().set("topology", name).set("nodes", nodes);
  return read_recipe(JsonView(json, name));
}

int64_t device_count(const Recipe& recipe) {
  int64_t devices = 0;
  for (const Part& part : recipe.parts) devices += int64_t{part.nodes} * part.gpus;
  return devices;
}

std::string name_of(const Recipe& recipe) {
  std::string name;
  for (const Part& part : recipe.parts)
    name += fmt::format("{}{}_{}", name.empty() ? "" : "+", part.topology->name, part.nodes);
  return recipe.fabric == &*fabrics().begin() ? name : fmt::format("{}_{}", name, recipe.fabric->name);
}

}  // namespace foreflow::platform
