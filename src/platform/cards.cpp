#include "platform/cards.h"

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

constexpr size_t kMostRouted = 256;  // of which all routes are looked at
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

// The cards of the first node of a block that routes to and from the first GPUs of another node cross.
int used_cards(const Layout& layout, const Block& block, const InNode& other, int other_gpu, const Router& router) {
  std::set<int> used;
  const int first = layout.first_nic() + block.first_nic, count = static_cast<int>(block.node.nics.size());
  const auto note = [&](const Route& route) {
    for (const int link : route.links) {
      if (link / 2 >= first && link / 2 < first + count) used.insert(link / 2);
    }
  };
  each_pair(block.node.gpus, other.block->node.gpus, [&](int gpu, int there) {
    note(router(block.first_device + gpu, other_gpu + there));
    note(router(other_gpu + there, block.first_device + gpu));
  });
  return static_cast<int>(used.size());
}

}  // namespace

CardUse cards_by_routes(const Platform& platform) {
  const auto devices = static_cast<int>(platform.devices().size());
  if (platform.devices().size() > kMostRouted) return {};
  std::set<std::string_view> cards, used;
  for (const Link& link : platform.links()) {
    if (is_card(link.kind)) cards.insert(card_of(link.name));
  }
  if (cards.empty()) return {};
  for (int from = 0; from < devices; ++from) {
    for (int to = 0; to < devices; ++to) {
      for (const int link : platform.route(from, to).links) {
        const Link& crossed = nth(platform.links(), link);
        if (is_card(crossed.kind)) used.insert(card_of(crossed.name));
      }
    }
  }
  return {static_cast<int64_t>(cards.size()), static_cast<int64_t>(cards.size() - used.size())};
}

CardUse cards_by_nodes(const Layout& layout, const Router& router) {
  CardUse use;
  for (const Block& block : layout.blocks()) {
    const auto cards = static_cast<int64_t>(block.node.nics.size());
    use.cards += block.nodes * cards;
    if (layout.nodes() < 2) continue;  // nothing to send to
    // The first GPU of the next node, or of the first where this is the last.
    const int next     = block.first_device + block.node.gpus;
    const int gpu      = next < layout.devices() ? next : 0;
    const InNode other = layout.device(gpu);
    use.idle += block.nodes * (cards - used_cards(layout, block, other, gpu, router));
  }
  return use;
}

std::vector<char> idle_cards(const Platform& platform) {
  if (platform.cards().idle == 0) return {};
  std::vector<char> idle(platform.links().size());
  for (size_t link = 0; link < idle.size(); ++link)
    idle[link] = static_cast<char>(is_card(platform.links().like(link).kind));
  const auto note = [&](int from, int to) {
    for (const int link : platform.route(from, to).links) nth(idle, link) = 0;
    for (const int link : platform.route(to, from).links) nth(idle, link) = 0;
  };
  std::vector<int> all(platform.devices().size());
  std::iota(all.begin(), all.end(), 0);
  if (all.size() <= kMostRouted) {
    for (const int from : all) {
      for (int to = 0; to < from; ++to) note(from, to);
    }
    return idle;
  }
  const auto nodes = by_node(platform, all);
  for (size_t n = 0; n < nodes.size(); ++n) {
    const auto &here = nodes[n], &there = nodes[(n + 1) % nodes.size()];
    each_pair(static_cast<int>(here.size()), static_cast<int>(there.size()),
              [&](int gpu, int other) { note(nth(here, gpu), nth(there, other)); });
  }
  return idle;
}

}  // namespace foreflow::platform
