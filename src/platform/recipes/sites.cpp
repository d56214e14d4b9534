// Clusters that a wide area network joins.
//
//   site0-core ---- site0-gateway ====wan==== site1-gateway ---- site1-spine0 ...
//
// Each site has a fabric of its own, whose upper switches lead to the gateway of the site; every two gateways are
// joined.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "platform/fabrics/switches.h"
#include "platform/nodes/ports.h"
#include "platform/recipes/recipe_parts.h"
#include "platform/routes/shortest.h"

namespace foreflow::platform {
namespace {

constexpr int kMostSites = 64;

struct Site {
  const FabricDef* fabric = nullptr;
  FabricSettings settings;
  std::string routing;
  int nodes                          = 0;
  bool operator==(const Site&) const = default;
};

struct Sites {
  std::vector<Site> all;
  BytesPerSecond bandwidth;
  Seconds latency;
  bool operator==(const Sites&) const = default;
};

// The outlets of `count` nodes from `first` on, as if there were no others.
Outlets outlets_of_site(const Outlets& outlets, const Site& site, int first) {
  Outlets own = outlets;
  own.all.clear();
  own.nodes        = site.nodes;
  own.most_of_node = 0;
  own.routing      = site.routing;
  for (const Outlet& outlet : outlets.all) {
    if (outlet.node < first || outlet.node >= first + site.nodes) continue;
    own.all.push_back({outlet.node - first, outlet.rail});
    own.most_of_node = std::max(own.most_of_node, outlet.rail + 1);
  }
  return own;
}

// The switches that lead to the gateway, each with the number of NICs that its link is as wide as. Together they are as
// wide as all NICs of the site, so that the line between sites is the limit.
std::map<int, double> ways_out(const Fabric& site) {
  std::map<int, double> nics;
  const auto all = static_cast<double>(site.plugs.size()), tops = static_cast<double>(site.tops.size());
  for (const int top : site.tops) nics[top] = all / tops;
  if (!site.tops.empty()) return nics;
  for (const int plug : site.plugs) nics[plug] += 1;
  return nics;
}

// The latency of a link to the gateway. Where switches with outlets lead out themselves, two such links take longer
// than any way inside the site, so that no message inside it takes the gateway as a shortcut.
Seconds latency_out(const Fabric& site, const Outlets& outlets) {
  if (!site.tops.empty() || site.plugs.empty()) return outlets.cable.latency;
  std::vector<Wire> wires;
  for (const Trunk& trunk : site.trunks) {
    const Cost cost = cost_of(nth(site.ports, trunk.port).latency, 1);
    wires.push_back({trunk.from, trunk.to, cost, cost});
  }
  // A way between any two switches is at most twice as long as the one from some switch to the farthest from it.
  Cost farthest = 0;
  for (const Cost cost : costs_to(Network(wires, std::vector<char>(site.switches.size(), 1)), site.plugs.front()))
    farthest = cost == kFar ? farthest : std::max(farthest, cost);
  const Seconds relay = site.relays ? 2 * kPcieLatency : Seconds{};  // to a GPU of the node, at most over PCIe
  return outlets.cable.latency + latency_of(farthest) + relay;
}

// Adds the fabric of a site and its gateway, and returns the gateway.
int add_site(Fabric& joined, const Fabric& site, int number, const Outlets& outlets) {
  const int first = static_cast<int>(joined.switches.size());
  for (const std::string& note : site.notes) joined.notes.push_back(fmt::format("site{}: {}", number, note));
  for (const std::string& name : site.switches) add_switch(joined, fmt::format("site{}-{}", number, name));
  for (const int plug : site.plugs) joined.plugs.push_back(first + plug);
  for (const Trunk& trunk : site.trunks)
    connect(joined, first + trunk.from, first + trunk.to, nth(site.ports, trunk.port));
  const int gateway = add_switch(joined, fmt::format("site{}-gateway", number));
  const Port cable  = {outlets.cable.kind, outlets.cable.bandwidth, latency_out(site, outlets)};
  const auto ways   = ways_out(site);
  for (const auto& [top, nics] : ways) connect(joined, first + top, gateway, widened(cable, nics));
  joined.notes.push_back(fmt::format("site{}: its gateway has {} {}, together as wide as its {} NICs", number,
                                     ways.size(), ways.size() == 1 ? "link" : "links", site.plugs.size()));
  joined.relays         = joined.relays || site.relays;
  const Purchase bought = purchase_of(site);
  joined.built_switches += bought.switches + 1;
  joined.built_cables += bought.cables + static_cast<int64_t>(site.plugs.size());
  return gateway;
}

Fabric build(const FabricSettings& settings, const Outlets& outlets) {
  const auto& sites = settings.as<Sites>();
  Fabric joined;
  std::vector<int> gateways;
  int first = 0, number = 0;
  for (const Site& site : sites.all) {
    const Outlets own = outlets_of_site(outlets, site, first);
    gateways.push_back(add_site(joined, site.fabric->build(site.settings, own), number++, own));
    first += site.nodes;
  }
  joined.notes.emplace_back("wan: every two sites are joined by a line of their own, as the recipe states it");
  for (size_t a = 0; a < gateways.size(); ++a) {
    for (size_t b = a + 1; b < gateways.size(); ++b) {
      connect(joined, gateways[a], gateways[b], {"wan", sites.bandwidth, sites.latency});
      ++joined.built_cables;
    }
  }
  return joined;
}

FabricSettings read_nothing(const JsonView&, const Outlets&) { return {}; }

const FabricDef& sites_fabric() {
  static const FabricDef row = {"sites", "clusters joined by a wide area network", {}, read_nothing, build};
  return row;
}

Site read_site(const JsonView& json, std::vector<Part>& parts) {
  Site site;
  site.fabric               = &fabric_of(json);
  static const Keys besides = {{"routing", "", {}}};
  check_keys(json, *site.fabric, besides);
  std::vector<Part> own = read_nodes(json);
  for (const Part& part : own) site.nodes += part.nodes;
  const RoutingChoice ways = read_routing(json, *site.fabric, own);
  if (json.has("routing") && ways.own.empty())
    json.at("routing").fail(
        "chooses among equally short ways, which is said once for all sites; move it beside \"sites\"");
  if (!site.fabric->build(site.fabric->read(json, outlets_of(own, ways.own)), outlets_of(own, ways.own)).path) {
    site.routing = ways.own;
  } else if (json.has("routing")) {
    json.at("routing").fail("does not go with sites; leave it out");
  }
  site.settings = site.fabric->read(json, outlets_of(own, site.routing));
  parts.insert(parts.end(), own.begin(), own.end());
  return site;
}

}  // namespace

const Keys& wan_keys() {
  static const Keys keys = {{"bandwidth", "of the line between two sites, each way", types::bandwidth()},
                            {"latency", "of the line, one way", types::time()}};
  return keys;
}

Recipe read_sites(const JsonView& json) {
  for (const char* key : {"topology", "nodes", "parts", "fabric"}) {
    if (json.has(key)) json.at(key).fail("stands beside \"sites\"; each site has its own");
  }
  std::vector<std::string> keys = names_of(machine_keys());
  keys.insert(keys.end(), {"sites", "wan"});
  json.allow_only(keys);
  const std::vector<JsonView> items = json.at("sites").items();
  if (items.size() < 2 || items.size() > kMostSites)
    json.at("sites").fail(fmt::format("{} sites; give 2 to {}", items.size(), kMostSites));
  const JsonView wan = json.at("wan");
  wan.allow_only(names_of(wan_keys()));
  Sites sites;
  sites.bandwidth = wan.at("bandwidth").as_bandwidth();
  sites.latency   = wan.at("latency").as_seconds();
  if (sites.bandwidth.value() <= 0) wan.at("bandwidth").fail("must be above zero, like \"100Gbps\"");
  Recipe recipe;
  for (const JsonView& item : items) sites.all.push_back(read_site(item, recipe.parts));
  recipe.fabric   = &sites_fabric();
  recipe.ecmp     = read_routing(json, sites_fabric(), recipe.parts).ties;
  recipe.settings = FabricSettings::of(std::move(sites));
  return recipe;
}

}  // namespace foreflow::platform
