#include "foreflow/platform/link_changes.h"

#include <fmt/core.h>

#include <string_view>

#include "foreflow/base/text.h"
#include "platform/link_text.h"
#include "platform/parameters.h"

namespace foreflow::platform {
namespace {

LinkChange read_change(const JsonView& json) {
  const std::vector<std::string> keys = {"bandwidth", "latency", "efficiency", "channels", "step_latency"};
  json.allow_only(keys);
  if (json.members().empty()) json.fail("changes nothing; give " + list_or(keys));
  LinkChange change;
  if (json.has("bandwidth")) {
    const JsonView value = json.at("bandwidth");
    change.bandwidth     = value.as_bandwidth();
    if (change.bandwidth->value() <= 0) value.fail("a bandwidth must be above zero, like \"25GBps\"");
  }
  if (json.has("latency")) change.latency = json.at("latency").as_seconds();
  if (json.has("efficiency")) {
    const JsonView value = json.at("efficiency");
    change.efficiency    = value.as_number();
    if (!(*change.efficiency > 0 && *change.efficiency <= 1))
      value.fail("is the share of the bandwidth that is left to payload; give a number above 0, at most 1");
  }
  if (json.has("channels")) change.channels = whole_or(json, "channels", 1);
  if (json.has("step_latency")) change.step_latency = json.at("step_latency").as_seconds();
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

template <class Known, class Number>
void override_with(Known& number, const std::optional<Number>& change) {
  if (change) number = *change;
}

void apply(const LinkChange& change, Link& link) {
  override_with(link.bandwidth, change.bandwidth);
  override_with(link.latency, change.latency);
  override_with(link.efficiency, change.efficiency);
  override_with(link.channels, change.channels);
  override_with(link.step_latency, change.step_latency);
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

LinkChange change_of(const LinkChanges& changes, const std::string& kind, const std::string& name) {
  LinkChange all;
  for (const std::string& key : {kind, undirected(name), name}) {
    const auto found = changes.find(key);
    if (found == changes.end()) continue;
    const LinkChange& change = found->second;
    override_with(all.bandwidth, change.bandwidth);
    override_with(all.latency, change.latency);
    override_with(all.efficiency, change.efficiency);
    override_with(all.channels, change.channels);
    override_with(all.step_latency, change.step_latency);
  }
  return all;
}

std::vector<std::pair<std::string, std::string>> to_texts(const LinkChange& change) {
  std::vector<std::pair<std::string, std::string>> texts;
  if (change.bandwidth) texts.emplace_back("bandwidth", to_text(*change.bandwidth));
  if (change.latency) texts.emplace_back("latency", to_text(*change.latency));
  if (change.efficiency) texts.emplace_back("efficiency", fmt::format("{}", *change.efficiency));
  if (change.channels) texts.emplace_back("channels", fmt::format("{}", *change.channels));
  if (change.step_latency) texts.emplace_back("step_latency", to_text(*change.step_latency));
  return texts;
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
      apply(change->second, link);
      applied.insert(key);
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
