#include "foreflow/platform/platform.h"

#include <mutex>
#include <unordered_map>
#include <utility>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "platform/capacity/cards.h"
#include "platform/routes/graph_router.h"

namespace foreflow::platform {

FlopsPerSecond Device::peak(std::string_view dtype) const {
  if (const auto found = peaks.find(std::string(dtype)); found != peaks.end()) return found->second;
  const auto single = peaks.find("f32");
  if (single == peaks.end())
    throw Error(name, "no peak for \"" + std::string(dtype) + "\" and none for \"f32\" to fall back to");
  return single->second;
}

bool same_speed(const Device& a, const Device& b) {
  return a.kind == b.kind && a.memory_bandwidth == b.memory_bandwidth && a.peaks == b.peaks && a.launch == b.launch &&
         a.cpu == b.cpu;
}

namespace {

Router look_up(size_t devices, std::vector<Route> routes) {
  FOREFLOW_CHECK(routes.size() == devices * devices, "a platform has one route for each pair of devices");
  const auto table = std::make_shared<const std::vector<Route>>(std::move(routes));
  return [table, devices](int from, int to) {
    return (*table)[static_cast<size_t>(from) * devices + static_cast<size_t>(to)];
  };
}

// Numbers by name of what is listed.
template <class T>
std::unordered_map<std::string_view, int> numbers_of_names(const List<T>& list) {
  std::unordered_map<std::string_view, int> numbers;
  for (size_t i = 0; i < list.size(); ++i) numbers.emplace(list[i].name, static_cast<int>(i));
  return numbers;
}

std::optional<int> found_in(const std::unordered_map<std::string_view, int>& numbers, std::string_view name) {
  const auto found = numbers.find(name);
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

// The answers of a machine by rule, and those of a listed machine, which are kept after the first question.
struct Platform::Facts {
  int nodes = 0;
  std::function<int(int device)> node;
  std::function<std::optional<int>(std::string_view name)> find_device, find_link;
  std::function<Graph()> draw;
  std::shared_ptr<const Declared> declared;
  std::function<CardUse(const Router&)> find_cards;
  bool equal_nodes = false;
  std::optional<Rotation> rotation;

  std::once_flag nodes_counted, devices_named, links_named, drawn, cards_counted;
  CardUse cards;
  std::vector<int> node_of;
  std::unordered_map<std::string_view, int> device_names, link_names;
  std::shared_ptr<const Graph> graph;
};

Platform::Platform(std::string name, List<Device> devices, List<Link> links, Router router)
    : name_(std::move(name)),
      devices_(std::move(devices)),
      links_(std::move(links)),
      facts_(std::make_shared<Facts>()),
      router_(std::move(router)) {
  facts_->rotation.emplace(static_cast<int>(links_.size()));
}

// The devices cannot be moved, since their number is an argument of the same call.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
Platform::Platform(std::string name, List<Device> devices, List<Link> links, std::vector<Route> routes)
    : Platform(std::move(name), devices, std::move(links), look_up(devices.size(), std::move(routes))) {}

Platform::Platform(std::string name, List<Device> devices, List<Link> links, Graph graph)
    : Platform(std::move(name), std::move(devices), std::move(links), Router()) {
  facts_->graph = std::make_shared<const Graph>(std::move(graph));
  router_       = make_router(facts_->graph, devices_, links_, name_);
}

Platform::Platform(std::string name, PlatformRule rule)
    : Platform(std::move(name), List<Device>(std::move(rule.devices)), List<Link>(std::move(rule.links)),
               std::move(rule.router)) {
  facts_->nodes       = rule.nodes;
  facts_->node        = std::move(rule.node);
  facts_->find_device = std::move(rule.find_device);
  facts_->find_link   = std::move(rule.find_link);
  facts_->draw        = std::move(rule.graph);
  facts_->declared    = std::move(rule.declared);
  facts_->find_cards  = std::move(rule.cards);
  facts_->equal_nodes = rule.equal_nodes;
  if (rule.rotation) facts_->rotation = std::move(rule.rotation);
}

void Platform::count_nodes() const {
  std::call_once(facts_->nodes_counted, [this] {
    if (facts_->node) return;
    std::unordered_map<std::string_view, int> numbers;
    for (const Device& device : devices_)
      facts_->node_of.push_back(numbers.emplace(device.node, static_cast<int>(numbers.size())).first->second);
    facts_->nodes = static_cast<int>(numbers.size());
  });
}

int Platform::nodes() const {
  count_nodes();
  return facts_->nodes;
}

int Platform::node(int device) const {
  if (facts_->node) return facts_->node(device);
  count_nodes();
  return nth(facts_->node_of, device);
}

bool Platform::has_equal_nodes() const { return facts_->equal_nodes; }

const Rotation& Platform::rotation() const { return *facts_->rotation; }

std::optional<int> Platform::find_device(std::string_view name) const {
  if (facts_->find_device) return facts_->find_device(name);
  std::call_once(facts_->devices_named, [this] { facts_->device_names = numbers_of_names(devices_); });
  return found_in(facts_->device_names, name);
}

std::optional<int> Platform::find_link(std::string_view name) const {
  if (facts_->find_link) return facts_->find_link(name);
  std::call_once(facts_->links_named, [this] { facts_->link_names = numbers_of_names(links_); });
  return found_in(facts_->link_names, name);
}

const Graph* Platform::graph() const {
  std::call_once(facts_->drawn, [this] {
    if (facts_->draw) facts_->graph = std::make_shared<const Graph>(facts_->draw());
  });
  return facts_->graph.get();
}

const Declared& Platform::declared() const {
  static const Declared nothing;
  return facts_->declared ? *facts_->declared : nothing;
}

CardUse Platform::cards() const {
  std::call_once(facts_->cards_counted,
                 [this] { facts_->cards = facts_->find_cards ? facts_->find_cards(router_) : cards_by_routes(*this); });
  return facts_->cards;
}

CardUse Platform::cards_between_nodes() const {
  CardUse use = cards();
  if (nodes() < 2) use.idle = 0;
  return use;
}

Seconds Platform::step_latency(const Route& route) const {
  Seconds total = route.latency + route.step_latency;
  for (const int link : route.links) total += links_.like(static_cast<size_t>(link)).step_latency;
  return total;
}

}  // namespace foreflow::platform
