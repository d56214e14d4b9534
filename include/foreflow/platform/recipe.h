// A recipe of a platform, as a scenario or the command line states it: nodes, the fabric between them, and link
// changes.
//
//   {"topology": "dgx_a100", "nodes": 32, "fabric": "fat_tree2", "oversubscription": 2}
//   {"sites": [{"topology": "dgx_a100", "nodes": 4}, {"topology": "dgx_h100", "nodes": 2, "fabric": "fat_tree2"}],
//    "wan": {"bandwidth": "100Gbps", "latency": "5ms"}}
//   {"parts": [{"topology": "dgx_a100", "nodes": 2}, {"topology": "dgx1", "nodes": 1}], "fabric": "star"}
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foreflow/platform/data_sheet.h"
#include "foreflow/platform/link_changes.h"
#include "foreflow/platform/topologies.h"

namespace foreflow::platform {

// A number of equal nodes.
struct Part {
  const TopologyDef* topology        = nullptr;
  int nodes                          = 0;
  int gpus                           = 0;  // of each node
  int nics                           = 0;
  DeviceChange device                = {};       // of its GPUs
  const NetworkDef* network          = nullptr;  // of its NICs; null: as the topology has them
  bool operator==(const Part&) const = default;
};

// All defaults are filled in, so two recipes compare equal when they state the same platform.
struct Recipe {
  std::vector<Part> parts;
  const FabricDef* fabric = nullptr;
  FabricSettings settings;
  std::string ecmp = "dmodk";  // how a message chooses among shortest paths: a row of routings() of ties
  std::string routing;         // one of the fabric's own, in place of shortest paths; empty: none
  bool sharp = false;          // the fabric's switches reduce (SHARP)
  LinkChanges links;
  bool operator==(const Recipe&) const = default;
};

// True if both machines have equal devices, and equal routes between them: if they differ in nothing but changes of
// links, and not in latencies, by which routes are chosen.
bool have_equal_routes(const Recipe& a, const Recipe& b);

constexpr int64_t kMostDevices = 1'000'000;  // of one platform

// The keys of a recipe: of its nodes or of one of its "parts"; of the whole beside "fabric", "parts" and the fabric's
// own parameters.
const Keys& part_keys();
const Keys& machine_keys();
// The keys of "wan", which joins the "sites" of a recipe.
const Keys& wan_keys();

// Throws Error("FILE: $.path.of.key", ...): unknown keys with the nearest known one, unknown names, numbers out of
// range, and parameters that the fabric cannot be built with.
Recipe read_recipe(const JsonView& json);

// `nodes` nodes of `topology` on the default fabric. Throws Error at the topology's name when `nodes` is below 1 or too
// large.
Recipe recipe_of(const TopologyDef& topology, int nodes);

int64_t device_count(const Recipe& recipe);

// The parts of a recipe's fabric, and its properties by formulas. A property without a formula is 0.
struct FabricFacts {
  int64_t switches = 0;
  int64_t cables   = 0;      // of NICs and between switches, each as wide as a NIC
  BytesPerSecond bisection;  // between the first and the last half of the nodes, one way
  BytesPerSecond narrowest;  // between the halves of the nodes that the fewest cables join, one way
  double crossings = 1;      // of an all-to-all: how often a message from one half to the other crosses between halves
  BytesPerSecond next_node;  // from every node to the next one at once
  BytesPerSecond nic;        // of the widest
  double below_leaf = 1;     // of all NICs, those that share the ways up of a switch
  BytesPerSecond leaf_nic;   // what such a switch has upwards for each of them
};
FabricFacts facts_of(const Recipe& recipe);

// "dgx_a100_32", "dgx_a100_2+dgx1_1", "dgx_a100_32_fat_tree2"; the default fabric is left out.
std::string name_of(const Recipe& recipe);

// SimGrid XML 4.1: one zone whose hosts are the devices and whose routers are the switches.
std::string write_xml(const Recipe& recipe);

}  // namespace foreflow::platform
