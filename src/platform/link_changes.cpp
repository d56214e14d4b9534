#include "foreflow/platform/link_changes.h"

#include <fmt/core.h>

#include <string_view>
#include <utility>
#include <vector>

#include "foreflow/base/text.h"

namespace foreflow::platform {
namespace {

LinkChange read_change(const JsonView& json) {
  json.allow_only({"bandwidth", "latency"});
  LinkChange change;
  if (json.has("bandwidth")) {
    const JsonView value = json.at("bandwidth");
    change.bandwidth     = value.as_bandwidth();
    if (change.bandwidth->value() <= 0) value.fail("a bandwidth must be above zero, like \"25GBps\"");
  }
  if (json.has("latency")) change.latency = json.at("latency").as_seconds();
  if (!change.bandwidth && !change.latency) json.fail("changes nothing; give \"bandwidth\" or \"latency\"");
  return change;
}

// "" when there is a link of this kind or name.
std::string complaint(const std::string& key, const std::set<std::string>& kinds, const std::set<std::string>& names) {
  if (kinds.contains(key) || names.contains(key)) return "";
  std::vector<std::string> all(kinds.begin(), kinds.end());
  const std::string listed = list_or(all);
  all.insert(all.end(), names.begin(), names.end());
  return fmt::format("no link has the kind or the name \"{}\"; did you mean \"{}\"? The kinds here are {}", key,
                     nearest(key, all), listed);
}

// The name that both directions of a link share.
std::string undirected(const std::string& name) {
  for (const std::string_view end : {"_UP", "_DOWN"}) {
    if (name.ends_with(end)) return name.substr(0, name.size() - end.size());
  }
  return name;
}

// Whether there is such a change.
bool apply(Link& link, const LinkChanges& changes, const std::string& key) {
  const auto change = changes.find(key);
  if (change == changes.end()) return false;
  link.bandwidth = change->second.bandwidth.value_or(link.bandwidth);
  link.latency   = change->second.latency.value_or(link.latency);
  return true;
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

}  // namespace

LinkChanges read_link_changes(const JsonView& json) {
  LinkChanges changes;
  if (!json.has("links")) return changes;
  for (const auto& [key, change] : json.at("links").members()) changes[key] = read_change(change);
  return changes;
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
      if (apply(link, changes, key)) applied.insert(key);
    }
  }
  if (applied.size() < changes.size()) check(platform, changes);
  if (platform.graph() != nullptr) return {platform.name(), platform.devices(), std::move(links), *platform.graph()};
  std::vector<Seconds> latencies;
  for (const Link& link : links) latencies.push_back(link.latency);
  Router router = [before = platform, latencies = std::move(latencies)](int from, int to) {
    Route route{before.route(from, to).links, Seconds(0)};
    for (const int link : route.links) route.latency += latencies[static_cast<size_t>(link)];
    return route;
  };
  return {platform.name(), platform.devices(), std::move(links), std::move(router)};
}

}  // namespace foreflow::platform
