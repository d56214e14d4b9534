// A recipe's machine by rule: one node for each part, the fabric, and arithmetic on numbers. Vertices, cables and links
// have the numbers that they would have in a file:
//
//   vertices  GPUs of all nodes | switches of all nodes | switches of the fabric
//   cables    inside of all nodes | NICs of all nodes | between switches of the fabric
//   links     2 * cable: away from the cable's first end; 2 * cable + 1: back
//
// An end of a cable and what it costs follow from its place in its node, so nothing here has a name or an entry for
// each device.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "platform/blueprint.h"
#include "platform/kinds.h"

namespace foreflow::platform {

// Equal nodes, and the numbers of the first things of the first of them.
struct Block {
  Node node;
  int nodes        = 0;
  int first_node   = 0;
  int first_device = 0;
  int first_switch = 0;  // among the switches of nodes
  int first_cable  = 0;  // among the cables inside nodes
  int first_nic    = 0;
  Device sheet;  // without a name
  int device_kind = 0;
  std::vector<int> cable_kinds, nic_kinds;  // of links
};

// One of several equal things of a node.
struct InNode {
  const Block* block;
  int node;   // over all blocks
  int local;  // in the node
};

struct Ends {
  int from, to;  // vertices
};

class Layout {
 public:
  explicit Layout(const Recipe& recipe);

  const Recipe& recipe() const { return recipe_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  const Fabric& fabric() const { return fabric_; }
  int nodes() const { return nodes_; }
  int devices() const { return devices_; }
  int vertices() const { return first_core_ + static_cast<int>(fabric_.switches.size()); }
  int first_core() const { return first_core_; }  // the vertex of the first switch of the fabric
  int cables() const { return first_trunk_ + static_cast<int>(fabric_.trunks.size()); }
  int first_nic() const { return inside_; }  // cables
  int first_trunk() const { return first_trunk_; }

  InNode device(int device) const;
  Device make_device(int device) const;
  int rail(int device) const;
  InNode owner(int cable) const;  // of one inside a node or of a NIC
  Ends ends(int cable) const;
  std::string vertex_name(int vertex) const;
  std::string cable_name(int cable) const;
  const Port& port(int cable) const;
  // As the recipe has it, with its changes.
  int link_kind(int cable) const;
  Link make_link(int link) const;
  const std::vector<Link>& link_kinds() const { return link_kinds_.examples(); }
  const std::vector<Device>& device_kinds() const { return device_kinds_.examples(); }
  // The cables that are changed by name, and so not as others of their place.
  const std::unordered_map<int, int>& changed() const { return changed_; }

  std::optional<int> find_device(std::string_view name) const;
  std::optional<int> find_cable(std::string_view name) const;

 private:
  void add_block(const Part& part);
  void add_fabric();
  void number_links();
  int new_kind(const Block* block, const Port& port, const LinkNumbers& change);
  std::optional<InNode> split_name(std::string_view name, std::string_view& rest) const;

  Recipe recipe_;
  std::vector<Block> blocks_;
  Fabric fabric_;
  int nodes_ = 0, devices_ = 0, switches_ = 0, inside_ = 0, nics_ = 0;
  int first_core_ = 0, first_trunk_ = 0;
  KindNumbers<Device> device_kinds_;
  KindNumbers<Link> link_kinds_;
  std::vector<int> trunk_kinds_;          // of each port of the fabric
  std::unordered_map<int, int> changed_;  // cable -> kind
};

// The NIC of a GPU is the nearest one; of several equally near ones the first.
int rail_of(int gpu, int gpus, int nics);

}  // namespace foreflow::platform
