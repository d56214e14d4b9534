// Max-min fair rates by progressive filling (Bertsekas and Gallager, Data Networks, section 6.5): raise all rates
// together until a link is full, fix the flows on it, go on with the rest.
#include <algorithm>
#include <limits>
#include <map>

#include "foreflow/base/error.h"
#include "foreflow/platform/describe.h"

namespace foreflow::platform {
namespace {

using Crossings = std::map<int, int>;  // link -> how often

Crossings crossings(const Route& route) {
  Crossings counts;
  for (const int link : route.links) ++counts[link];
  return counts;
}

struct LinkState {
  double free = 0;  // bandwidth not taken by fixed flows
  int crossed = 0;  // by flows that are not fixed yet
  double share() const { return free / crossed; }
};

double sum_of_fair_rates(const Platform& platform, std::vector<Crossings> flows) {
  std::map<int, LinkState> links;
  for (const Crossings& flow : flows) {
    for (const auto& [link, times] : flow) {
      links[link].free = platform.links()[static_cast<size_t>(link)].bandwidth.value();
      links[link].crossed += times;
    }
  }
  double sum = 0;
  while (!flows.empty()) {
    double rate = std::numeric_limits<double>::infinity();
    for (const auto& [link, state] : links) {
      if (state.crossed > 0) rate = std::min(rate, state.share());
    }
    const auto limited = [&](const Crossings& flow) {
      return std::any_of(flow.begin(), flow.end(),
                         [&](const auto& crossing) { return links.at(crossing.first).share() <= rate; });
    };
    const auto fixed =
        std::stable_partition(flows.begin(), flows.end(), [&](const Crossings& flow) { return !limited(flow); });
    FOREFLOW_CHECK(fixed != flows.end(), "the tightest link carries a flow");
    for (auto flow = fixed; flow != flows.end(); ++flow) {
      sum += rate;
      for (const auto& [link, times] : *flow) {
        links.at(link).free -= rate * times;
        links.at(link).crossed -= times;
      }
    }
    flows.erase(fixed, flows.end());
  }
  return sum;
}

}  // namespace

BytesPerSecond bisection_bandwidth(const Platform& platform) {
  const int half = static_cast<int>(platform.devices().size() / 2);
  std::vector<Crossings> flows;
  for (int i = 0; i < half; ++i) flows.push_back(crossings(platform.route(i, i + half)));
  return BytesPerSecond(sum_of_fair_rates(platform, std::move(flows)));
}

BytesPerSecond route_bandwidth(const Platform& platform, const Route& route) {
  FOREFLOW_CHECK(!route.links.empty(), "only the route of a device to itself is empty");
  return BytesPerSecond(sum_of_fair_rates(platform, {crossings(route)}));
}

}  // namespace foreflow::platform
