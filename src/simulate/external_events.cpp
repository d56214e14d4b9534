#include "simulate/external_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "foreflow/base/error.h"

namespace foreflow::simulate {
namespace {

// Reports errors of one entry of a list of disturbances: "disturbances.links[1].changes".
class Entry {
 public:
  Entry(std::string_view list, size_t number) : where_(fmt::format("disturbances.{}[{}]", list, number)) {}

  void require(bool right, std::string_view key, std::string_view what) const {
    if (!right) throw Error(fmt::format("{}.{}", where_, key), std::string(what));
  }
  void require_index(int index, size_t size, std::string_view key) const {
    require(index >= 0 && static_cast<size_t>(index) < size, key,
            fmt::format("{} is none of the {} of the platform; count from 0", index, size));
  }

 private:
  std::string where_;
};

void check(const Entry& entry, const LinkTrace& trace) {
  entry.require(!trace.changes.empty(), "changes", "is empty; give at least one change");
  Seconds latest(-1);
  for (const LinkChange& change : trace.changes) {
    entry.require(change.at >= Seconds(0) && change.at > latest && change.at < kForever, "changes",
                  "times are not ascending from 0s on; sort them, each time once");
    entry.require(change.factor >= 0 && std::isfinite(change.factor), "changes",
                  "a factor is below 0 or not finite; 0 means down, 1 as planned");
    latest = change.at;
  }
}

void check(const Entry& entry, const Background& background, const platform::Platform& platform) {
  entry.require_index(background.from, platform.devices().size(), "from");
  entry.require_index(background.to, platform.devices().size(), "to");
  entry.require(background.from != background.to, "to", "is the device that sends; name another one");
  entry.require(!platform.route(background.from, background.to).links.empty(), "to",
                "has no route from the device that sends");
  entry.require(background.bytes > Bytes(0), "bytes", "is not above 0");
  entry.require(background.limit >= BytesPerSecond(0), "limit", "is below 0; 0 means no limit");
  entry.require(background.first >= Seconds(0) && background.first < kForever, "first", "is not a time from 0s on");
  entry.require(background.period >= Seconds(0), "period", "is below 0s; 0s means one flow only");
  entry.require(background.until > background.first, "until", "is not after the first flow");
}

}  // namespace

void check(const Disturbances& disturbances, const platform::Platform& platform) {
  for (size_t i = 0; i < disturbances.slowdowns.size(); ++i) {
    const Slowdown& slowdown = disturbances.slowdowns[i];
    const Entry entry("slowdowns", i);
    entry.require_index(slowdown.device, platform.devices().size(), "device");
    entry.require(slowdown.factor > 0 && std::isfinite(slowdown.factor), "factor",
                  "is not above 0; 2 means half the speed");
    entry.require(slowdown.from >= Seconds(0), "from", "is below 0s");
    entry.require(slowdown.until > slowdown.from, "until", "is not after its beginning");
  }
  const double amplitude = disturbances.jitter.amplitude;
  if (!(amplitude >= 0 && amplitude < 1))
    throw Error("disturbances.jitter.amplitude", fmt::format("{} is not in [0, 1)", amplitude));
  std::set<int> traced;
  for (size_t i = 0; i < disturbances.links.size(); ++i) {
    const Entry entry("links", i);
    entry.require_index(disturbances.links[i].link, platform.links().size(), "link");
    entry.require(traced.insert(disturbances.links[i].link).second, "link",
                  "has a trace already; give all its changes in one");
    check(entry, disturbances.links[i]);
  }
  for (size_t i = 0; i < disturbances.background.size(); ++i)
    check(Entry("background", i), disturbances.background[i], platform);
}

std::vector<int> changing_links(const Disturbances& disturbances) {
  std::vector<int> result;
  for (const LinkTrace& trace : disturbances.links) result.push_back(trace.link);
  return result;
}

std::vector<ExternalEvents::Source> sources(const Disturbances& disturbances, const platform::Platform& platform,
                                            Footprints& footprints) {
  std::vector<ExternalEvents::Source> result;
  for (const Background& one : disturbances.background) {
    std::map<int, double> times;
    for (const int link : platform.route(one.from, one.to).links) ++times[link];
    Load load{{}, 1};
    for (const auto& [link, count] : times) load.crossings.push_back({link, count});
    result.push_back({static_cast<int32_t>(footprints.loads.size()), one.bytes.value(), one.limit.value(),
                      one.first.value(), one.period.value(), one.until.value()});
    footprints.loads.push_back(std::move(load));
  }
  return result;
}

ExternalEvents external_events(const Disturbances& disturbances, const platform::Platform& platform,
                               const Network& network, std::vector<ExternalEvents::Source> sources) {
  ExternalEvents result{{}, std::move(sources), std::vector<std::string>(network.capacities.size())};
  for (size_t i = 0; i < disturbances.links.size(); ++i) {
    const auto& [special, scale] = network.specials[i];
    if (special < 0) continue;
    const platform::Link& link                   = platform.links()[static_cast<size_t>(disturbances.links[i].link)];
    result.link_of[static_cast<size_t>(special)] = link.name;
    for (const LinkChange& change : disturbances.links[i].changes)
      result.changes.push_back({change.at.value(), special, change.factor * scale * link.payload().value()});
  }
  std::stable_sort(result.changes.begin(), result.changes.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });
  return result;
}

}  // namespace foreflow::simulate
