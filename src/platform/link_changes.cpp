#include "foreflow/platform/link_changes.h"

#include <fmt/core.h>

#include <memory>
#include <string_view>
#include <utility>

#include "foreflow/base/suggestion.h"
#include "foreflow/base/text.h"
#include "platform/link_property.h"

namespace foreflow::platform {
namespace {

LinkNumbers read_numbers(const JsonView& json) {
  const std::vector<std::string> keys = names_of(link_keys());
  json.allow_only(keys);
  if (json.members().empty()) json.fail("changes nothing; give " + list_or(keys));
  LinkNumbers numbers;
  for (const LinkProperty& property : link_properties()) {
    if (!json.has(property.key.name)) continue;
    property.read(json.at(property.key.name), numbers.values);
    numbers.stated.insert(property.key.name);
  }
  return numbers;
}

// "" when there is a link of this kind or name.
std::string complaint(const std::string& key, const std::set<std::string>& kinds, const std::set<std::string>& names) {
  if (kinds.contains(key) || names.contains(key)) return "";
  std::vector<std::string> all(kinds.begin(), kinds.end());
  std::erase(all, "");
  const std::string listed = list_or(all);
  all.insert(all.end(), names.begin(), names.end());
  if (listed.empty()) {
    return fmt::format(
        "no link has the name \"{}\"{}; links here have no kinds, which stand as <prop id=\"kind\" value=\"nic\"/> in "
        "files such as `foreflow platform -o` writes",
        key, suggestion(key, all));
  }
  return fmt::format("no link has the kind or the name \"{}\"{}; the kinds here are {}", key, suggestion(key, all),
                     listed);
}

// The name that both directions of a link share.
std::string undirected(const std::string& name) {
  for (const std::string_view end : {"_UP", "_DOWN"}) {
    if (name.ends_with(end)) return name.substr(0, name.size() - end.size());
  }
  return name;
}

// Each change must be of a kind or a name that there is.
void check(const Platform& platform, const LinkChanges& changes) {
  std::set<std::string> kinds, names;
  for (const Link& link : platform.links()) {
    kinds.insert(link.kind);
    names.insert({undirected(link.name), link.name});
  }
  for (const auto& [key, unused] : changes) {
    const std::string what = complaint(key, kinds, names);
    if (!what.empty()) throw Error(platform.name(), what);
  }
}

// Devices stay held by rule, and what the file declares stays known.
Platform with_links_of_rule(const Platform& platform, std::vector<Link> links, Router router) {
  const auto changed = std::make_shared<const List<Link>>(std::move(links));
  const auto size    = platform.devices().size();
  return {platform.name(),
          PlatformRule{
              .devices     = {.size  = size,
                              .make  = [platform](size_t device) { return platform.devices()[device]; },
                              .kind  = [platform](size_t device) { return platform.device_kind(static_cast<int>(device)); },
                              .kinds = platform.devices().kinds()},
              .links       = {.size  = changed->size(),
                              .make  = [changed](size_t link) { return (*changed)[link]; },
                              .kind  = [changed](size_t link) { return changed->kind(link); },
                              .kinds = changed->kinds()},
              .nodes       = platform.nodes(),
              .node        = [platform](int device) { return platform.node(device); },
              .find_device = [platform](std::string_view name) { return platform.find_device(name); },
              .find_link   = [platform](std::string_view name) { return platform.find_link(name); },
              .graph       = nullptr,
              .router      = std::move(router),
              .declared    = std::make_shared<const Declared>(platform.declared()),
              .cards       = nullptr}};
}

}  // namespace

LinkChanges read_link_changes(const JsonView& json) {
  LinkChanges changes;
  if (!json.has("links")) return changes;
  for (const auto& [key, change] : json.at("links").members()) changes[key] = read_numbers(change);
  return changes;
}

LinkNumbers numbers_of(const LinkChanges& changes, const std::string& kind, const std::string& name) {
  LinkNumbers all;
  for (const std::string& key : {kind, undirected(name), name}) {
    const auto found = changes.find(key);
    if (found != changes.end()) all = changed(found->second, std::move(all));
  }
  return all;
}

void check_link_changes(const JsonView& json, const std::set<std::string>& kinds, const std::set<std::string>& names) {
  for (const auto& [key, change] : json.at("links").members()) {
    const std::string what = complaint(key, kinds, names);
    if (!what.empty()) change.fail(what);
  }
}

Platform with_links(const Platform& platform, const LinkChanges& changes) {
  std::vector<Link> links = platform.links();
  std::set<std::string> applied;
  for (Link& link : links) {
    for (const std::string& key : {link.kind, undirected(link.name), link.name}) {
      const auto change = changes.find(key);
      if (change == changes.end()) continue;
      link = changed(change->second, std::move(link));
      applied.insert(key);
    }
  }
  if (applied.size() < changes.size()) check(platform, changes);
  if (platform.graph() != nullptr) return {platform.name(), platform.devices(), std::move(links), *platform.graph()};
  std::vector<Seconds> latencies;
  for (const Link& link : links) latencies.push_back(link.latency);
  Router router = [before = platform, latencies = std::move(latencies)](int from, int to) {
    Route route = before.route(from, to);
    for (const int link : route.links) {
      const auto index = static_cast<size_t>(link);
      route.latency += latencies[index] - before.links().like(index).latency;
    }
    return route;
  };
  if (platform.declared().assumed.empty())
    return {platform.name(), platform.devices(), std::move(links), std::move(router)};
  return with_links_of_rule(platform, std::move(links), std::move(router));
}

}  // namespace foreflow::platform
