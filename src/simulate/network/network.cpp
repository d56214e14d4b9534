#include "simulate/network/network.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "foreflow/base/nth.h"
#include "simulate/network/partition.h"

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

class Condenser {
 public:
  Condenser(const stream::Program& program, const Footprints& footprints, const platform::Platform& platform,
            const std::vector<int>& specials)
      : program_(program),
        footprints_(footprints),
        platform_(platform),
        specials_(specials),
        known_(&crosses_before),
        classes_(platform.links().size()) {}

  Network run() && {
    find_routes();
    classes_.keep_apart(specials_);
    for (const Network::Route* route : routes_) classes_.cross(*route);
    find_capacities();
    write_routes();
    write_specials();
    find_exclusive();
    return std::move(network_);
  }

 private:
  void find_routes() {
    for (const Load& load : footprints_.loads) {
      const auto [found, is_new] = known_.emplace(messages(load, platform_), static_cast<int32_t>(routes_.size()));
      if (is_new) routes_.push_back(&found->first);
      network_.route_of.push_back(found->second);
    }
  }

  // The least capacity of each class of links that a route crosses.
  void find_capacities() {
    number_.resize(classes_.size(), -1);
    for (size_t link = 0; link < platform_.links().size(); ++link) {
      if (classes_.first(link) == 0) continue;
      const double capacity = platform_.links().like(link).payload().value() / classes_.first(link);
      int32_t& place        = number_[classes_.of(link)];
      if (place < 0) {
        place = static_cast<int32_t>(network_.capacities.size());
        network_.capacities.push_back(capacity);
      } else {
        double& least = nth(network_.capacities, place);
        least         = std::min(least, capacity);
      }
    }
  }

  void write_routes() {
    for (const Network::Route* route : routes_) {
      auto& crossed = network_.routes.emplace_back();
      for (const auto& [link, count] : *route) {
        const auto index = static_cast<size_t>(link);
        crossed.push_back({number_[classes_.of(index)], count / classes_.first(index)});
      }
      // Links of a class are crossed in the same proportion, so any of them represents the class.
      std::sort(crossed.begin(), crossed.end(), [](const auto& a, const auto& b) { return a.link < b.link; });
      crossed.erase(
          std::unique(crossed.begin(), crossed.end(), [](const auto& a, const auto& b) { return a.link == b.link; }),
          crossed.end());
    }
  }

  void write_specials() {
    for (const int link : specials_) {
      const double first = classes_.first(static_cast<size_t>(link));
      network_.specials.push_back(first > 0
                                      ? Network::Special{number_[classes_.of(static_cast<size_t>(link))], 1 / first}
                                      : Network::Special{-1, 0});
    }
  }

  // A route is exclusive if its flows take turns and no flow of another route crosses its links, whose capacity lasts.
  void find_exclusive() {
    network_.exclusive                = taken_in_turns(program_, footprints_, network_);
    const std::vector<bool> contested = contested_links();
    for (size_t route = 0; route < routes_.size(); ++route) {
      if (network_.routes[route].empty()) network_.exclusive[route] = true;  // fat pipes only
      for (const auto& crossing : network_.routes[route]) {
        if (nth(contested, crossing.link)) network_.exclusive[route] = false;
      }
    }
    for (size_t load = 0; load < footprints_.loads.size(); ++load) {
      if (!footprints_.loads[load].limits.empty()) nth(network_.exclusive, network_.route_of[load]) = false;
    }
  }

  // Per class: whether several routes cross it, or its capacity changes.
  std::vector<bool> contested_links() const {
    std::vector<int32_t> users(network_.capacities.size(), 0);
    for (const Network::Route& route : network_.routes) {
      for (const auto& crossing : route) ++nth(users, crossing.link);
    }
    std::vector<bool> contested;
    for (const int32_t count : users) contested.push_back(count > 1);
    for (const auto& special : network_.specials) {
      if (special.link >= 0) nth(contested, special.link) = true;
    }
    return contested;
  }

  const stream::Program& program_;
  const Footprints& footprints_;
  const platform::Platform& platform_;
  const std::vector<int>& specials_;
  std::map<Network::Route, int32_t, decltype(&crosses_before)> known_;
  std::vector<const Network::Route*> routes_;  // over the platform's links, in the order of Network::routes
  Classes classes_;
  std::vector<int32_t> number_;  // of each class, in Network::capacities; -1: no route crosses it
  Network network_;
};

}  // namespace

Network condense(const stream::Program& program, const Footprints& footprints, const platform::Platform& platform,
                 const std::vector<int>& specials) {
  return Condenser(program, footprints, platform, specials).run();
}

}  // namespace foreflow::simulate
