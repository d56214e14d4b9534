// Max-min fair rates by progressive filling (Bertsekas and Gallager, Data Networks, section 6.5): raise all rates
// together until a link is full, fix the flows on it, go on with the rest.
#include <algorithm>
#include <bit>
#include <limits>
#include <map>

#include "foreflow/base/error.h"
#include "foreflow/platform/describe.h"
#include "platform/capacity/cards.h"
#include "platform/capacity/halves.h"

namespace foreflow::platform {
namespace {

// A link, and the flow that has it for itself; the latter is kAll for links that flows share.
using Crossed      = std::pair<int, int>;
using Crossings    = std::map<Crossed, int>;  // how often
constexpr int kAll = -1;

Crossings crossings(const Platform& platform, const Route& route, int flow) {
  Crossings counts;
  for (const int link : route.links) {
    const bool fat = platform.links().like(static_cast<size_t>(link)).fat;
    ++counts[{link, fat ? flow : kAll}];
  }
  return counts;
}

struct LinkState {
  double free = 0;  // bandwidth not taken by fixed flows
  int crossed = 0;  // by flows that are not fixed yet
  double share() const { return free / crossed; }
};

double sum_of_fair_rates(const Platform& platform, std::vector<Crossings> flows) {
  std::map<Crossed, LinkState> links;
  for (const Crossings& flow : flows) {
    for (const auto& [link, times] : flow) {
      links[link].free = platform.links().like(static_cast<size_t>(link.first)).payload().value();
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

BytesPerSecond between_pairs(const Platform& platform) {
  const int half = static_cast<int>(platform.devices().size() / 2);
  std::vector<Crossings> flows;
  for (int i = 0; i < half; ++i) {
    const Route route = platform.route(i, i + half);
    if (route.links.empty() && route.exists()) return BytesPerSecond(std::numeric_limits<double>::infinity());
    if (!route.links.empty()) flows.push_back(crossings(platform, route, i));
  }
  return BytesPerSecond(sum_of_fair_rates(platform, std::move(flows)));
}

// Up to this number of devices all halves are tried: 924 for 12 devices.
constexpr size_t kMostOfAllHalves = 12;

BytesPerSecond least_cut(const Platform& platform, const Parts& parts, const std::vector<char>& idle) {
  const size_t count = platform.devices().size();
  int64_t least      = std::numeric_limits<int64_t>::max();
  for (size_t set = 0; set < size_t{1} << count; ++set) {
    const auto senders = static_cast<size_t>(std::popcount(set));
    if (senders != count / 2 && senders != count - count / 2) continue;
    std::vector<char> sends(count);
    for (size_t i = 0; i < count; ++i) sends[i] = static_cast<char>((set >> i) & 1);
    least = std::min(least, cut_between(platform, parts, idle, sends));
  }
  return BytesPerSecond(static_cast<double>(least));
}

BytesPerSecond cut_in_the_middle(const Platform& platform, const Parts& parts, const std::vector<char>& idle) {
  const size_t count = platform.devices().size();
  std::vector<char> sends(count);
  for (size_t i = 0; i < count / 2; ++i) sends[i] = 1;
  return BytesPerSecond(static_cast<double>(cut_between(platform, parts, idle, sends)));
}

}  // namespace

std::string_view bisection_method(const Platform& platform) {
  if (platform.graph() == nullptr) return "fair rates of device i to i + n/2";
  if (platform.devices().size() <= kMostOfAllHalves) return "the least cut of all halves";
  return "the cut between the first and the second half of the devices";
}

BytesPerSecond bisection_bandwidth(const Platform& platform) {
  if (platform.devices().size() < 2) return BytesPerSecond(0);
  if (platform.graph() == nullptr) return between_pairs(platform);
  const Parts parts            = cut(*platform.graph(), platform.links(), platform.name());
  const std::vector<char> idle = idle_cards(platform);
  return platform.devices().size() <= kMostOfAllHalves ? least_cut(platform, parts, idle)
                                                       : cut_in_the_middle(platform, parts, idle);
}

BytesPerSecond route_bandwidth(const Platform& platform, const Route& route) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [link, times] : crossings(platform, route, kAll))
    least = std::min(least, platform.links().like(static_cast<size_t>(link.first)).payload().value() / times);
  return BytesPerSecond(least);
}

}  // namespace foreflow::platform
