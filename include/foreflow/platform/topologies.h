// The tables of topologies (the inside of a node) and fabrics (the network between nodes), which can be combined
// freely. Each row states its hardware numbers with their sources, and the generated SimGrid XML repeats them.
#pragma once

#include <any>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/base/key.h"
#include "foreflow/base/registry.h"
#include "foreflow/base/units.h"

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
  std::string doc;
  int default_nodes = 1;
  Count gpus;
  Count nics;
  std::function<Node(int gpus, int nics)> build;
  bool domains            = false;   // "nvlink_domain" may divide the node
  std::string_view fabric = "star";  // that joins the nodes unless a recipe says otherwise
};

const Registry<TopologyDef>& topologies();

// Machines that clouds rent out, by the names that they have there: "p5.48xlarge". They stand where topologies do.
const Registry<TopologyDef>& instances();

// The row of either table. Azure's names may leave out "Standard_". Throws Error at `where` with the nearest name.
const TopologyDef& find_topology(const std::string& name, const std::string& where);
// The names of both tables.
std::vector<std::string> topology_names();

// A kind of network, whose bandwidth the NICs of a recipe can be given.
struct NetworkDef {
  std::string_view name;
  std::string_view doc;
  BytesPerSecond port;       // each way
  std::string_view routing;  // how its switches choose among ways: a row of routing_rules()
};

const Registry<NetworkDef>& networks();

// Returns the keys that a scenario may set for nodes of `topology`, each with its default. All values are counts.
std::vector<std::pair<std::string, std::string>> defaults_of(const TopologyDef& topology);

// The settings of one fabric: a struct that can be compared, whose type only the file of that fabric knows.
class FabricSettings {
 public:
  template <typename T>
  static FabricSettings of(T settings) {
    FabricSettings all;
    all.held_ = std::move(settings);
    all.same_ = [](const std::any& a, const std::any& b) {
      return std::any_cast<const T&>(a) == std::any_cast<const T&>(b);
    };
    return all;
  }
  // As `of` was given them; T is the same.
  template <typename T>
  const T& as() const {
    return std::any_cast<const T&>(held_);
  }
  bool operator==(const FabricSettings& other) const {
    return held_.type() == other.held_.type() && (same_ == nullptr || same_(held_, other.held_));
  }

 private:
  std::any held_;
  bool (*same_)(const std::any& a, const std::any& b) = nullptr;
};

struct FabricDef {
  std::string_view name;
  std::string_view doc;
  Keys parameters;
  // The parameters in `json`, or what fits the outlets. Throws Error at the key that cannot be.
  FabricSettings (*read)(const JsonView& json, const Outlets& outlets);
  Fabric (*build)(const FabricSettings& settings, const Outlets& outlets);
  std::vector<std::string_view> routings = {};  // that it knows besides the rules for equally short ways
  std::string_view not_oversubscribed    = {};  // why "oversubscription" means nothing here; empty: it is a parameter
};

const Registry<FabricDef>& fabrics();

// How messages find their way: rules that choose among equally short ways, for every fabric, and those of fabrics.
struct RoutingDef {
  std::string_view name;
  std::string_view doc;
  bool of_ties = false;  // it chooses among equally short ways
};

const Registry<RoutingDef>& routings();

}  // namespace foreflow::platform
