#include "platform/imports/pcie_tree.h"

#include <fmt/core.h>

#include <array>
#include <map>
#include <numeric>

#include "platform/nodes/ports.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform::imports {
namespace {

constexpr std::array<const char*, 4> kSwitches = {"pcie", "bridge", "host", "socket"};  // by the level that they join

size_t at(int index) { return static_cast<size_t>(index); }

// The groups of parts that are at most so far from each other: a number for each part.
std::vector<int> groups_of(const Relations& relations, Nearness most) {
  const int count = static_cast<int>(relations.names.size());
  std::vector<int> group(at(count));
  std::iota(group.begin(), group.end(), 0);
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) {
      if (relations.nearness[at(a)][at(b)] > most || group[at(a)] == group[at(b)]) continue;
      const int from = group[at(b)], to = group[at(a)];
      for (int& one : group) one = one == from ? to : one;
    }
  }
  return group;
}

void check(const Relations& relations, const std::vector<int>& nearer, Nearness level, const Text& text) {
  const int count = static_cast<int>(relations.names.size());
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) {
      const Nearness said = relations.nearness[at(a)][at(b)];
      if (said == Nearness::unknown || said < level || nearer[at(a)] != nearer[at(b)]) continue;
      text.fail(
          fmt::format("{} and {} are said to be farther from each other than what joins them to a third; check "
                      "the matrix",
                      relations.names[at(a)], relations.names[at(b)]));
    }
  }
}

class Builder {
 public:
  Builder(Node& node, const Relations& relations, const Port& pcie) : node_(node), relations_(relations), pcie_(pcie) {
    for (size_t part = 0; part < relations.names.size(); ++part) {
      const int number = static_cast<int>(part);
      tops_.push_back(number < node.gpus ? number : add_switch(node, relations.names[part]));
    }
    parts_ = tops_;
  }

  // Joins what a group holds by a switch, if it is more than one thing or `always`.
  void join(const std::vector<int>& groups, Nearness level, bool always) {
    std::map<int, std::vector<int>> members;
    for (size_t part = 0; part < groups.size(); ++part) members[groups[part]].push_back(static_cast<int>(part));
    for (const auto& [unused, parts] : members) {
      std::vector<int> tops;
      for (const int part : parts) {
        if (std::find(tops.begin(), tops.end(), tops_[at(part)]) == tops.end()) tops.push_back(tops_[at(part)]);
      }
      if (tops.size() < 2 && !always) continue;
      const size_t kind = static_cast<size_t>(level);
      const int above   = add_switch(node_, fmt::format("{}{}", kSwitches[kind], counts_[kind]++));
      for (const int top : tops) connect(node_, name_of(top), port_of(top), top, above);
      for (const int part : parts) tops_[at(part)] = above;
    }
  }

  const std::vector<int>& tops() const { return tops_; }
  int vertex(int part) const { return parts_[at(part)]; }

 private:
  std::string name_of(int vertex) const {
    if (vertex < node_.gpus) return fmt::format("gpu{}-pcie", vertex);
    return node_.switches[at(vertex - node_.gpus)] + "-pcie";
  }
  Port port_of(int vertex) const { return vertex < node_.gpus ? pcie_ : uplink(pcie_); }

  Node& node_;
  const Relations& relations_;
  Port pcie_;
  std::vector<int> parts_;  // of each part: its own vertex
  std::vector<int> tops_;   // of each part: the highest vertex of its tree
  std::array<int, 4> counts_ = {};
};

}  // namespace

Tree add_pcie_tree(Node& node, const Relations& relations, const Port& pcie, const Port& nic, const Text& text) {
  Builder builder(node, relations, pcie);
  const int cards = static_cast<int>(relations.names.size()) - node.gpus, first = node.gpus;
  std::vector<int> nearer;
  for (const Nearness level :
       {Nearness::one_switch, Nearness::some_switches, Nearness::host_bridge, Nearness::node, Nearness::system}) {
    if (!nearer.empty()) check(relations, nearer, level, text);
    if (level == Nearness::system) break;
    nearer = groups_of(relations, level);
    builder.join(nearer, level, level == Nearness::node);
  }
  for (int card = 0; card < cards; ++card)
    node.nics.push_back({relations.names[at(first + card)] + "-port", nic, builder.vertex(first + card)});
  Tree tree;
  for (const int top : builder.tops()) {
    if (std::find(tree.roots.begin(), tree.roots.end(), top) == tree.roots.end()) tree.roots.push_back(top);
  }
  for (size_t a = 0; a < tree.roots.size(); ++a) {
    for (size_t b = a + 1; b < tree.roots.size(); ++b)
      connect(node, fmt::format("upi{}-{}", a, b), upi_port(), tree.roots[a], tree.roots[b]);
  }
  return tree;
}

}  // namespace foreflow::platform::imports
