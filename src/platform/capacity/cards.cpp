#include "platform/capacity/cards.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <string_view>

#include "foreflow/base/nth.h"
#include "foreflow/platform/by_node.h"
#include "foreflow/platform/link_kinds.h"

namespace foreflow::platform {
namespace {

constexpr size_t kMostRouted = 256;  // devices of which all routes are looked at
constexpr int kFewGpus       = 16;   // of a node, of which all routes to those of another are looked at

// The name that both directions of a link share.
std::string_view card_of(std::string_view link) {
  for (const std::string_view end : {"_UP", "_DOWN"}) {
    if (link.ends_with(end)) return link.substr(0, link.size() - end.size());
  }
  return link;
}

// Calls `look` with the GPUs of one node and those of another whose routes tell which cards both nodes use.
template <class Look>
void each_pair(int gpus, int others, const Look& look) {
  const bool few = others <= kFewGpus && gpus <= kFewGpus;
  for (int gpu = 0; gpu < gpus; ++gpu) {
    for (int step = 0; step < (few ? others : 1); ++step) look(gpu, (gpu + step) % others);
  }
}

int first_device_of(const Layout& layout, int node) {
  const auto& blocks = layout.blocks();
  const auto block =
      std::find_if(blocks.begin(), blocks.end(), [&](const Block& one) { return node < one.first_node + one.nodes; });
  return block->first_device + (node - block->first_node) * block->node.gpus;
}

// The cards of the first node of a block that routes to and from the nodes at doubling distances cross: the nearest
// card may depend on how far a message goes.
size_t used_cards(const Layout& layout, const Block& block, const Router& router) {
  std::set<int> used;
  const int first = layout.first_nic() + block.first_nic, count = static_cast<int>(block.node.nics.size());
  const auto note = [&](const Route& route) {
    for (const int link : route.links) {
      if (link / 2 >= first && link / 2 < first + count) used.insert(link / 2);
    }
  };
  for (int step = 1; step < layout.nodes() && used.size() < block.node.nics.size(); step *= 2) {
    const int other = first_device_of(layout, (block.first_node + step) % layout.nodes());
    each_pair(block.node.gpus, layout.device(other).block->node.gpus, [&](int gpu, int there) {
      note(router(block.first_device + gpu, other + there));
      note(router(other + there, block.first_device + gpu));
    });
  }
  return used.size();
}

// The same of all nodes: linear in their number but for a logarithm.
template <class Look>
void each_far_pair(const std::vector<std::vector<int>>& nodes, const Look& look) {
  for (size_t step = 1; step < nodes.size(); step *= 2) {
    for (size_t n = 0; n < nodes.size(); ++n) {
      const auto &here = nodes[n], &there = nodes[(n + step) % nodes.size()];
      each_pair(static_cast<int>(here.size()), static_cast<int>(there.size()),
                [&](int gpu, int other) { look(nth(here, gpu), nth(there, other)); });
    }
  }
}

// Pairs of devices whose routes, there and back, tell which cards are used: all pairs of few devices, and of many those
// of some nodes. In one large node every device stands for a node.
template <class Look>
void each_route(const Platform& platform, const Look& look) {
  std::vector<int> all(platform.devices().size());
  std::iota(all.begin(), all.end(), 0);
  if (all.size() > kMostRouted) {
    const auto nodes = by_node(platform, all);
    std::vector<std::vector<int>> single;
    for (size_t i = 0; nodes.size() == 1 && i < all.size(); ++i) single.push_back({all[i]});
    each_far_pair(single.empty() ? nodes : single, look);
    return;
  }
  for (const int from : all) {
    for (int to = 0; to < from; ++to) look(from, to);
  }
}

// Cables from one server to another one without a switch between them serve only these two, which need not be
// neighbours. All of them count as crossed.
void cross_direct_cables(const Platform& platform, std::vector<char>& crossed) {
  const Graph* graph = platform.graph();
  if (graph == nullptr) return;
  std::vector<char> in_server(graph->vertices.size());
  for (size_t v = 0; v < in_server.size(); ++v) in_server[v] = static_cast<char>(graph->vertices[v].device >= 0);
  const auto stays = [&](int link) { return stays_in_server(platform.links().like(static_cast<size_t>(link)).kind); };
  for (const Edge& edge : graph->edges) {
    if (std::all_of(edge.forth.begin(), edge.forth.end(), stays)) nth(in_server, edge.a) = nth(in_server, edge.b) = 1;
  }
  for (const Edge& edge : graph->edges) {
    if (nth(in_server, edge.a) == 0 || nth(in_server, edge.b) == 0) continue;
    for (const auto* links : {&edge.forth, &edge.back}) {
      for (const int link : *links) nth(crossed, link) = 1;
    }
  }
}

// For each link, 1 if a message crosses it. Says nothing of links that are no cards where each_route leaves pairs out.
std::vector<char> crossed_links(const Platform& platform) {
  std::vector<char> crossed(platform.links().size());
  const auto note = [&](int from, int to) {
    for (const int link : platform.route(from, to).links) nth(crossed, link) = 1;
  };
  each_route(platform, [&](int from, int to) {
    note(from, to);
    note(to, from);
  });
  if (platform.devices().size() > kMostRouted) cross_direct_cables(platform, crossed);
  return crossed;
}

}  // namespace

CardUse cards_by_routes(const Platform& platform) {
  std::set<std::string_view> cards, used;
  for (const Link& link : platform.links()) {
    if (is_card(link.kind)) cards.insert(card_of(link.name));
  }
  if (cards.empty()) return {};
  const std::vector<char> crossed = crossed_links(platform);
  for (size_t i = 0; i < crossed.size(); ++i) {
    const Link& link = platform.links()[i];
    if (crossed[i] != 0 && is_card(link.kind)) used.insert(card_of(link.name));
  }
  return {static_cast<int64_t>(cards.size()), static_cast<int64_t>(cards.size() - used.size())};
}

CardUse cards_by_nodes(const Layout& layout, const Router& router) {
  CardUse use;
  for (const Block& block : layout.blocks()) {
    const auto cards = static_cast<int64_t>(block.node.nics.size());
    use.cards += block.nodes * cards;
    if (layout.nodes() < 2) continue;  // nothing to send to
    use.idle += block.nodes * (cards - static_cast<int64_t>(used_cards(layout, block, router)));
  }
  return use;
}

std::vector<char> idle_cards(const Platform& platform) {
  if (platform.cards().idle == 0) return {};
  std::vector<char> idle = crossed_links(platform);
  for (size_t link = 0; link < idle.size(); ++link)
    idle[link] = static_cast<char>(idle[link] == 0 && is_card(platform.links().like(link).kind));
  return idle;
}

}  // namespace foreflow::platform
