#include "foreflow/platform/describe.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "foreflow/base/error.h"
#include "foreflow/base/escape.h"
#include "foreflow/base/nth.h"
#include "foreflow/base/suggestion.h"
#include "platform/link_property.h"
#include "platform/views/declared.h"

namespace foreflow::platform {
namespace {

std::string count_of(size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// An example of each kind, and how many there are.
template <class T>
std::vector<std::pair<const T*, size_t>> counted(const List<T>& list) {
  std::vector<std::pair<const T*, size_t>> kinds;
  for (const T& kind : list.kinds()) kinds.emplace_back(&kind, 0);
  for (size_t i = 0; i < list.size(); ++i) ++nth(kinds, list.kind(i)).second;
  return kinds;
}

std::string describe_device(const Device& device) {
  std::string text =
      fmt::format("{}: {}, {}", escape::terminal(device.kind), format(device.memory), format(device.memory_bandwidth));
  for (const auto& [dtype, peak] : device.peaks) text += fmt::format(", {} {}", escape::terminal(dtype), format(peak));
  if (!device.cpu.name.empty()) text += fmt::format("; host {}", device.cpu.name);
  return text;
}

// "25 GB/s, 2 us, efficiency 0.9, at most 4 channels".
std::string describe_numbers(const Link& link) {
  std::string text;
  for (const LinkProperty& property : link_properties()) {
    const std::string number = property.describe(link);
    if (!number.empty()) text += (text.empty() ? "" : ", ") + number;
  }
  if (link.fat) text += ", a fat pipe";
  return link.in_switch ? text + ", reduces" : text;
}

// Links that differ in nothing but their names, and how many there are.
struct LinkType {
  Link example;
  int64_t count = 0;
};

// By kind, then by bandwidth.
std::vector<LinkType> link_types(const Platform& platform) {
  const auto what = [](const Link& link) {
    std::vector<double> numbers;
    for (const LinkProperty& property : link_properties()) numbers.push_back(property.number(link));
    return std::tuple(link.kind, std::move(numbers), link.in_switch, link.fat);
  };
  std::map<decltype(what(Link{})), LinkType> types;
  for (const auto& [link, count] : counted(platform.links()))
    types.emplace(what(*link), LinkType{*link}).first->second.count += static_cast<int64_t>(count);
  std::vector<LinkType> result;
  for (auto& [key, type] : types) result.push_back(std::move(type));
  return result;
}

Json to_json(const LinkType& type) {
  const Link& link = type.example;
  Json json        = Json::object();
  json.set("kind", link.kind).set("count", type.count);
  for (const LinkProperty& property : link_properties()) json.set(std::string(property.result), property.json(link));
  json.set("reduces", link.in_switch);
  if (link.fat) json.set("fat", true);
  return json;
}

// The route of two devices that differ.
Route find_route(const Platform& platform, const std::string& from, const std::string& to) {
  const int source = device_index(platform, from);
  const int target = device_index(platform, to);
  if (source == target)
    throw Error(platform.name(), fmt::format("a route from \"{}\" to itself; name two devices", from));
  Route route = platform.route(source, target);
  if (!route.exists())
    throw Error(platform.name(), fmt::format("no route from device \"{}\" to device \"{}\"", from, to));
  return route;
}

// The first link that gives a message alone least: of several as slow, the one nearest to the sender.
int bottleneck(const Platform& platform, const Route& route) {
  const double least = route_bandwidth(platform, route).value();
  const auto limits  = [&](int link) {
    const auto times = std::count(route.links.begin(), route.links.end(), link);
    return nth(platform.links(), link).payload().value() / static_cast<double>(times) <= least;
  };
  return *std::find_if(route.links.begin(), route.links.end(), limits);
}

Json device_to_json(const Device& device) {
  Json peaks = Json::object();
  for (const auto& [dtype, peak] : device.peaks) peaks.set(dtype, peak.value());
  Json json = Json::object();
  json.set("name", device.name);
  json.set("kind", device.kind);
  json.set("node", device.node);
  json.set("memory_bytes", whole_bytes(device.memory));
  json.set("memory_bandwidth_bytes_per_s", device.memory_bandwidth.value());
  json.set("launch_s", device.launch.value());
  json.set("rail", static_cast<int64_t>(device.rail));
  json.set("peak_flops_per_s", std::move(peaks));
  if (!device.cpu.name.empty()) json.set("cpu", device.cpu.name);
  return json;
}

}  // namespace

int device_index(const Platform& platform, const std::string& name) {
  if (const std::optional<int> found = platform.find_device(name)) return *found;
  std::vector<std::string> names;
  for (const Device& device : platform.devices()) names.push_back(device.name);
  throw Error(platform.name(), fmt::format("unknown device \"{}\"{}", name, suggestion_or_first(name, names)));
}

std::string describe(const Platform& platform) {
  std::map<std::string, size_t> kinds;  // description -> devices
  for (const auto& [device, count] : counted(platform.devices())) kinds[describe_device(*device)] += count;
  std::string text =
      fmt::format("{}: {} in {}\n", escape::terminal(platform.name()), count_of(platform.devices().size(), "device"),
                  count_of(static_cast<size_t>(platform.nodes()), "node"));
  for (const auto& [kind, count] : kinds) text += fmt::format("{:>6} x {}\n", count, kind);
  text += "links, one direction each\n";
  for (const auto& [link, count] : link_types(platform)) {
    text += fmt::format("{:>6} x {}: {}\n", count, link.kind.empty() ? "link" : escape::terminal(link.kind),
                        describe_numbers(link));
  }
  if (const CardUse cards = platform.cards_between_nodes(); cards.idle > 0)
    text += fmt::format("idle {} of {} network cards serve no GPU\n", cards.idle, cards.cards);
  return text +
         fmt::format("bisection {}, one way, {}\n", limit_text(bisection_bandwidth(platform)),
                     bisection_method(platform)) +
         describe_declared(platform);
}

Json to_json(const Platform& platform) {
  Json devices = Json::array();
  for (const Device& device : platform.devices()) devices.push(device_to_json(device));
  std::map<std::string, int64_t> kinds;
  for (const auto& [link, count] : counted(platform.links())) kinds[link->kind] += static_cast<int64_t>(count);
  Json links = Json::object();
  for (const auto& [kind, count] : kinds) links.set(kind, count);
  Json json = Json::object();
  json.set("name", platform.name());
  json.set("devices", std::move(devices));
  json.set("links", std::move(links));
  Json types = Json::array();
  for (const LinkType& type : link_types(platform)) types.push(to_json(type));
  json.set("link_types", std::move(types));
  const CardUse cards = platform.cards_between_nodes();
  json.set("cards", cards.cards);
  json.set("idle_cards", cards.idle);
  json.set("bisection_bytes_per_s", limit_json(bisection_bandwidth(platform)));
  json.set("bisection_method", std::string(bisection_method(platform)));
  add_declared(platform, json);
  return json;
}

std::string describe_route(const Platform& platform, const std::string& from, const std::string& to) {
  const Route route = find_route(platform, from, to);
  std::string text  = fmt::format("{} -> {}: {} at {}\n", escape::terminal(from), escape::terminal(to),
                                  format(route.latency), limit_text(route_bandwidth(platform, route)));
  if (route.limit > BytesPerSecond(0))
    text += fmt::format("  a TCP window leaves a message {} of it\n", format(route.limit));
  const int slowest = route.links.empty() ? -1 : bottleneck(platform, route);
  for (const int index : route.links) {
    const Link& link = nth(platform.links(), index);
    text += fmt::format("  {}: {}{}\n", escape::terminal(link.name), describe_numbers(link),
                        index == slowest ? "  <- bottleneck" : "");
  }
  return text;
}

Json route_to_json(const Platform& platform, const std::string& from, const std::string& to) {
  const Route route = find_route(platform, from, to);
  Json names        = Json::array();
  for (const int index : route.links) names.push(nth(platform.links(), index).name);
  Json json = to_json(platform);
  json.set("from", from);
  json.set("to", to);
  json.set("route", std::move(names));
  json.set("bottleneck", route.links.empty() ? Json() : Json(nth(platform.links(), bottleneck(platform, route)).name));
  json.set("latency_s", route.latency.value());
  json.set("step_latency_s", platform.step_latency(route).value());
  json.set("bandwidth_bytes_per_s", limit_json(route_bandwidth(platform, route)));
  if (route.limit > BytesPerSecond(0)) json.set("window_bytes_per_s", route.limit.value());
  return json;
}

}  // namespace foreflow::platform
