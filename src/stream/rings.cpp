#include "stream/rings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "foreflow/base/nth.h"

namespace foreflow::stream {
namespace {

using Ring = std::vector<int>;

Ring in_order(const std::vector<int>& devices) {
  Ring ring(devices.size());
  std::iota(ring.begin(), ring.end(), 0);
  std::sort(ring.begin(), ring.end(), [&](int a, int b) { return nth(devices, a) < nth(devices, b); });
  return ring;
}

std::vector<platform::Route> hops_of(const platform::Platform& platform, const std::vector<int>& devices,
                                     const std::vector<Ring>& rings) {
  std::vector<platform::Route> hops;
  for (const Ring& ring : rings) {
    const auto at = [&](size_t i) { return nth(devices, ring[i % ring.size()]); };
    for (size_t i = 0; ring.size() > 1 && i < ring.size(); ++i) hops.push_back(platform.route(at(i), at(i + 1)));
  }
  return hops;
}

// True when a device reaches its two successors over different first links. `hops` are the routes to the nearer
// successor.
bool is_mesh(const platform::Platform& platform, const std::vector<int>& devices, const Ring& order,
             const std::vector<platform::Route>& hops) {
  const auto at = [&](size_t i) { return nth(devices, order[i % order.size()]); };
  for (size_t i = 0; order.size() > 2 && i < order.size(); ++i) {
    const platform::Route &next = hops[i], second = platform.route(at(i), at(i + 2));
    if (!next.links.empty() && !second.links.empty() && next.links.front() != second.links.front()) return true;
  }
  return false;
}

// Looks for rings of one speed after another and takes what they need from the links.
class Search {
 public:
  Search(const platform::Platform& platform, const std::vector<int>& devices)
      : count_(static_cast<int>(devices.size())) {
    for (const int from : devices) {
      for (const int to : devices) routes_.push_back(from == to ? std::vector<int>{} : platform.route(from, to).links);
    }
    for (const auto& route : routes_) {
      for (const int link : route)
        left_.emplace(link, platform.links().like(static_cast<size_t>(link)).payload().value());
    }
  }

  // The fastest ring that the links still carry, of speed `least` or more, and its speed; nothing: there is none.
  std::optional<std::pair<double, Ring>> take(double least) {
    std::set<double, std::greater<>> speeds;
    for (const auto& [link, bandwidth] : left_) {
      if (bandwidth >= least && bandwidth > 0) speeds.insert(bandwidth);
    }
    for (const double candidate : speeds) {
      tries_ = 0;
      Ring ring{0};
      if (complete(ring, candidate)) return std::pair(candidate, std::move(ring));
    }
    return std::nullopt;
  }

 private:
  static constexpr int kTries = 20'000;  // hops tried before a speed is given up; a DGX-1 needs some hundreds

  bool cross(int from, int to, double speed) {
    const auto& route = routes_[static_cast<size_t>(from) * static_cast<size_t>(count_) + static_cast<size_t>(to)];
    bool enough       = !route.empty();
    for (const int link : route) enough = (left_[link] -= speed) >= 0 && enough;
    if (!enough) give_back(from, to, speed);
    return enough;
  }

  void give_back(int from, int to, double speed) {
    for (const int link : routes_[static_cast<size_t>(from) * static_cast<size_t>(count_) + static_cast<size_t>(to)])
      left_[link] += speed;
  }

  bool complete(Ring& ring, double speed) {
    if (static_cast<int>(ring.size()) == count_) return cross(ring.back(), ring.front(), speed);
    for (int next = 0; next < count_; ++next) {
      if (std::find(ring.begin(), ring.end(), next) != ring.end()) continue;
      if (++tries_ > kTries) return false;
      const int from = ring.back();
      if (!cross(from, next, speed)) continue;
      ring.push_back(next);
      if (complete(ring, speed)) return true;
      ring.pop_back();
      give_back(from, next, speed);
    }
    return false;
  }

  int count_;
  int tries_ = 0;
  std::vector<std::vector<int>> routes_;  // [from * count + to]
  std::map<int, double> left_;            // bytes per second, by link
};

}  // namespace

Rings rings_in_node(const platform::Platform& platform, const std::vector<int>& devices) {
  const Ring order = in_order(devices);
  Rings once{{order}, hops_of(platform, devices, {order})};
  if (!is_mesh(platform, devices, order, once.hops)) return once;
  Search search(platform, devices);
  std::vector<std::pair<double, Ring>> found;
  for (;;) {
    // Rings of less than half the speed of the first are not worth their steps: PCIe beside NVLink.
    auto ring = search.take(found.empty() ? 0 : found.front().first / 2);
    if (!ring) break;
    found.push_back(*std::move(ring));
  }
  if (found.empty()) return once;
  std::vector<Ring> rings;
  for (const auto& [speed, ring] : found) {
    const auto times = static_cast<size_t>(std::floor(speed / found.back().first + 1e-9));
    rings.insert(rings.end(), times, ring);
  }
  std::vector<platform::Route> hops = hops_of(platform, devices, rings);
  return {std::move(rings), std::move(hops)};
}

std::vector<std::vector<int>> rings_between(const std::vector<std::vector<int>>& nodes, const std::vector<int>& rail) {
  int channels = 0;
  for (const auto& node : nodes) {
    int rails = 0;
    for (const int rank : node) rails = std::max(rails, nth(rail, rank) + 1);
    channels = &node == nodes.data() ? rails : std::min(channels, rails);
  }
  std::vector<Ring> rings;
  for (int channel = 0; channel < channels; ++channel) {
    Ring& ring = rings.emplace_back();
    for (size_t i = 0; i < nodes.size(); ++i) {
      Ring part        = nodes[i];
      const auto entry = std::find_if(part.begin(), part.end(), [&](int rank) { return nth(rail, rank) == channel; });
      std::rotate(part.begin(), entry, part.end());
      if (i % 2 == 1) std::reverse(part.begin(), part.end());
      ring.insert(ring.end(), part.begin(), part.end());
    }
  }
  return rings;
}

}  // namespace foreflow::stream
