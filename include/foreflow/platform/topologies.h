// The tables of topologies (the inside of a node) and fabrics (the network between nodes), which can be combined
// freely. Each row states its hardware numbers with their sources, and the generated SimGrid XML repeats them.
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

// How many GPUs or NICs a node has by default, and at most.
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
  bool domains = false;  // "nvlink_domain" may divide the node
};

const Registry<TopologyDef>& topologies();

struct Parameter {
  std::string_view name;
  std::string_view doc;  // meaning, unit and default
};

// The keys that a scenario may state about nodes of `topology`, with their defaults; all are counts.
std::vector<std::pair<std::string, std::string>> defaults_of(const TopologyDef& topology);

// The parameters of all fabrics. Each fabric reads and uses its own and leaves the others unchanged.
struct FabricSettings {
  double oversubscription = 1;  // bandwidth of a leaf's ports to nodes divided by that of its uplinks, at least 1
  int leaf_ports          = 0;  // ports of a leaf that lead to nodes
  int pod_leaves          = 0;
  int pod_nodes           = 0;
  int router_ports        = 0;  // ports of a router that lead to nodes
  int group_routers       = 0;
  int global_links        = 0;  // links of a router to other groups
  int groups              = 0;
  std::array<int, 3> dims = {0, 0, 0};
  bool operator==(const FabricSettings&) const = default;
};

struct FabricDef {
  std::string_view name;
  std::string_view doc;
  std::vector<Parameter> parameters;
  // Reads the parameters in `json`; absent ones are chosen to fit the outlets. Throws Error at a key whose value is not
  // possible.
  FabricSettings (*read)(const JsonView& json, const Outlets& outlets);
  Fabric (*build)(const FabricSettings& settings, const Outlets& outlets);
};

const Registry<FabricDef>& fabrics();

}  // namespace foreflow::platform
