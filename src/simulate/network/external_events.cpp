#include "simulate/network/external_events.h"

#include <algorithm>
#include <map>

#include "foreflow/base/nth.h"
#include "simulate/routes/changing.h"

namespace foreflow::simulate {
std::vector<int> changing_links(const Disturbances& disturbances) {
  std::vector<int> result;
  for (const LinkTrace& trace : disturbances.links) result.push_back(trace.link);
  return result;
}

std::vector<ExternalEvents::Source> sources(const Disturbances& disturbances, const platform::Platform& platform,
                                            Footprints& footprints) {
  const Changing changing(platform, disturbances.links);
  std::vector<ExternalEvents::Source> result;
  for (const Background& one : disturbances.background) {
    const Message message{platform.route(one.from, one.to), platform.node(one.from) != platform.node(one.to), 1};
    std::map<int, double> times;
    for (const int link : message.route.links) ++times[link];
    Load load{{}, 1, message.route.limit, changing.limits(message, 1)};
    for (const auto& [link, count] : times) {
      load.crossings.push_back({link, count});
      const platform::Link& crossed = platform.links().like(static_cast<size_t>(link));
      const BytesPerSecond own      = crossed.payload() / count;
      if (crossed.fat && (load.limit == BytesPerSecond(0) || own < load.limit)) load.limit = own;
    }
    result.push_back({static_cast<int32_t>(footprints.loads.size()), one.bytes.value(), one.limit.value(),
                      one.first.value(), one.period.value(), one.until.value()});
    footprints.loads.push_back(std::move(load));
  }
  return result;
}

ExternalEvents external_events(const Disturbances& disturbances, const platform::Platform& platform,
                               const Network& network, const Footprints& footprints,
                               std::vector<ExternalEvents::Source> sources) {
  ExternalEvents result{{}, std::move(sources), std::vector<std::string>(network.capacities.size())};
  for (size_t i = 0; i < disturbances.links.size(); ++i) {
    const auto& [special, scale] = network.specials[i];
    if (special < 0) continue;
    const platform::Link& link   = nth(platform.links(), disturbances.links[i].link);
    nth(result.link_of, special) = link.name;
    for (const LinkStep& change : disturbances.links[i].changes)
      result.changes.push_back({change.at.value(), special, change.factor * scale * link.payload().value()});
  }
  for (size_t load = 0; load < footprints.loads.size(); ++load) {
    for (const auto& [at, limit] : footprints.loads[load].limits)
      result.changes.push_back({at, -1, limit, static_cast<int32_t>(load)});
  }
  std::stable_sort(result.changes.begin(), result.changes.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });
  return result;
}

}  // namespace foreflow::simulate
