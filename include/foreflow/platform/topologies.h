// Recipes for machines: what is inside a node (a topology) and what joins the nodes (a fabric), to be combined freely
// and in any number. The numbers and their sources stand in the recipes and in the SimGrid XML that they become. A
// recipe knows nothing of SimGrid itself.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/base/registry.h"

namespace foreflow::platform {

struct Node;     // private: a node's vertices, links and ports
struct Outlets;  // private: the ports that a fabric joins
struct Fabric;   // private: switches and links

// How many a node has when nobody says, and the most that the recipe can wire.
struct Count {
  int usual = 1;
  int most  = 1024;
};

struct TopologyDef {
  std::string_view name;
  std::string_view doc;
  int default_nodes = 1;
  Count gpus;
  Count nics;
  Node (*build)(int gpus, int nics);
  bool domains = false;  // "nvlink_domain" may cut the node
};

const Registry<TopologyDef>& topologies();

struct Parameter {
  std::string_view name;
  std::string_view doc;  // meaning, unit and default
};

// What a scenario may say about nodes of `topology`, all of them counts: (key, default).
std::vector<std::pair<std::string, std::string>> defaults_of(const TopologyDef& topology);

// What fabrics are told; each reads and uses its own parameters and leaves the others as they are.
struct FabricSettings {
  double oversubscription = 1;  // bandwidth of a leaf's ports to nodes / of its ports upwards, at least 1
  int leaf_ports          = 0;  // ports of a leaf that lead to nodes
  int pod_leaves          = 0;
  int pod_nodes           = 0;
  int router_ports        = 0;  // ports of a router that lead to nodes
  int group_routers       = 0;
  int global_links        = 0;  // of a router, to other groups
  int groups              = 0;
  std::array<int, 3> dims = {0, 0, 0};
  bool operator==(const FabricSettings&) const = default;
};

struct FabricDef {
  std::string_view name;
  std::string_view doc;
  std::vector<Parameter> parameters;
  // The parameters in `json`, or what fits the outlets. Throws Error at the key that cannot be.
  FabricSettings (*read)(const JsonView& json, const Outlets& outlets);
  Fabric (*build)(const FabricSettings& settings, const Outlets& outlets);
};

const Registry<FabricDef>& fabrics();

}  // namespace foreflow::platform
