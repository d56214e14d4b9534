#include "simulate/network.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "foreflow/base/nth.h"
#include "simulate/partition.h"

namespace foreflow::simulate {
namespace {

// Number of messages of unit size that cross each link that flows compete for.
Network::Route messages(const Load& load, const platform::Platform& platform) {
  constexpr double kRounding = 1e-6;
  Network::Route result;
  for (const auto& [link, weight] : load.crossings) {
    if (load.is_limited() && platform.links().like(static_cast<size_t>(link)).fat) continue;
    const double count = weight / load.unit, whole = std::round(count);
    result.push_back({link, std::abs(count - whole) < kRounding * whole ? whole : count});
  }
  return result;
}

bool crosses_before(const Network::Route& a, const Network::Route& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.link != y.link ? x.link < y.link : x.weight < y.weight;
  });
}

// Classes of links that all routes cross in the same proportion; only the link with the smallest capacity of a class
// can be a bottleneck. A link that k messages of a route cross is equivalent to a link with 1/k of the bandwidth that
// one message crosses, so counts are relative to the first route that crosses the link.
class Classes {
 public:
  explicit Classes(size_t links) : first_(links, 0), partition_(links) {}

  void keep_apart(const std::vector<int>& links) {
    partition_.begin();
    for (size_t i = 0; i < links.size(); ++i) partition_.say(static_cast<size_t>(links[i]), static_cast<double>(i));
  }
  void cross(const Network::Route& route) {
    partition_.begin();
    for (const auto& [link, count] : route) {
      double& first = nth(first_, link);
      if (first == 0) first = count;
      partition_.say(static_cast<size_t>(link), count / first);
    }
  }

  // messages of the first route that crosses it; 0: no route does
  double first(size_t link) const { return first_[link]; }
  size_t of(size_t link) const { return static_cast<size_t>(partition_.class_of(link)); }
  size_t size() const { return partition_.classes(); }

 private:
  std::vector<double> first_;
  Partition partition_;
};

// For each route, whether all its flows have the same member streams. Such flows never overlap in time.
std::vector<bool> taken_in_turns(const stream::Program& program, const Footprints& footprints, const Network& network) {
  std::vector<const std::vector<int32_t>*> members(footprints.loads.size(), nullptr);
  std::vector<bool> result(network.routes.size(), true);
  const auto join = [&](size_t load, const std::vector<int32_t>& theirs) {
    const auto route = static_cast<size_t>(network.route_of[load]);
    if (members[route] == nullptr) members[route] = &theirs;
    if (*members[route] != theirs) result[route] = false;
  };
  std::vector<bool> of_others(footprints.loads.size(), true);
  for (const Footprint& footprint : footprints.distinct) {
    for (const Phase& phase : footprints.phases_of(footprint)) {
      if (phase.load < 0 || phase.relay >= 0) continue;
      join(static_cast<size_t>(phase.load), nth(program.instances, footprint.example).members);
      nth(of_others, phase.load) = false;
    }
  }
  for (size_t load = 0; load < of_others.size(); ++load) {
    if (of_others[load]) nth(result, network.route_of[load]) = false;
  }
  return result;
}

}  // namespace

Network condense(const stream::Program& program, const Footprints& footprints, const platform::Platform& platform,
                 const std::vector<int>& specials) {
  Network network;
  std::map<Network::Route, int32_t, decltype(&crosses_before)> known(&crosses_before);
  std::vector<const Network::Route*> routes;  // over the platform's links
  for (const Load& load : footprints.loads) {
    const auto [found, is_new] = known.emplace(messages(load, platform), static_cast<int32_t>(routes.size()));
    if (is_new) routes.push_back(&found->first);
    network.route_of.push_back(found->second);
  }
  Classes classes(platform.links().size());
  classes.keep_apart(specials);
  for (const Network::Route* route : routes) classes.cross(*route);

  std::vector<int32_t> number(classes.size(), -1);  // of each class, in Network::capacities
  for (size_t link = 0; link < platform.links().size(); ++link) {
    if (classes.first(link) == 0) continue;
    const double capacity = platform.links().like(link).payload().value() / classes.first(link);
    int32_t& place        = number[classes.of(link)];
    if (place < 0) {
      place = static_cast<int32_t>(network.capacities.size());
      network.capacities.push_back(capacity);
    } else {
      double& least = nth(network.capacities, place);
      least         = std::min(least, capacity);
    }
  }
  std::vector<int32_t> users(network.capacities.size(), 0);
  for (const Network::Route* route : routes) {
    auto& crossed = network.routes.emplace_back();
    for (const auto& [link, count] : *route) {
      const auto index = static_cast<size_t>(link);
      crossed.push_back({number[classes.of(index)], count / classes.first(index)});
    }
    // Links of a class are crossed in the same proportion, so any of them represents the class.
    std::sort(crossed.begin(), crossed.end(), [](const auto& a, const auto& b) { return a.link < b.link; });
    crossed.erase(
        std::unique(crossed.begin(), crossed.end(), [](const auto& a, const auto& b) { return a.link == b.link; }),
        crossed.end());
    for (const auto& crossing : crossed) ++nth(users, crossing.link);
  }
  network.exclusive = taken_in_turns(program, footprints, network);
  for (size_t route = 0; route < routes.size(); ++route) {
    if (network.routes[route].empty()) network.exclusive[route] = true;  // fat pipes only
    for (const auto& crossing : network.routes[route]) {
      if (nth(users, crossing.link) > 1) network.exclusive[route] = false;
    }
  }
  for (size_t load = 0; load < footprints.loads.size(); ++load) {
    if (!footprints.loads[load].limits.empty()) nth(network.exclusive, network.route_of[load]) = false;
  }
  for (const int link : specials) {
    const double first = classes.first(static_cast<size_t>(link));
    network.specials.push_back(first > 0 ? Network::Special{number[classes.of(static_cast<size_t>(link))], 1 / first}
                                         : Network::Special{-1, 0});
  }
  for (size_t route = 0; route < routes.size(); ++route) {
    for (const auto& crossing : network.routes[route]) {
      for (const auto& special : network.specials) {
        if (special.link == crossing.link) network.exclusive[route] = false;
      }
    }
  }
  return network;
}

}  // namespace foreflow::simulate
