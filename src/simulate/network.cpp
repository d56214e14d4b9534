#include "simulate/network.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "foreflow/base/error.h"

namespace foreflow::simulate {
namespace {

using Shape     = std::vector<std::pair<int, int>>;  // (link, how many unit flows cross it), by link
using Signature = std::vector<std::pair<int, int>>;  // (route, how many unit flows of it cross the link), by route

Shape shape(const Phase& phase) {
  Shape result;
  for (const auto& [link, weight] : phase.crossings) {
    const double flows = weight / phase.unit;
    FOREFLOW_CHECK(std::abs(flows - std::round(flows)) < 1e-6 * flows,
                   "the shares of an algorithm are not ratios of small integers");
    result.emplace_back(link, static_cast<int>(std::lround(flows)));
  }
  return result;
}

// A link that k flows of each route cross is like a link of 1/k of the bandwidth that one crosses.
BytesPerSecond reduce(Signature& signature, BytesPerSecond bandwidth) {
  int divisor = 0;
  for (const auto& [route, flows] : signature) divisor = std::gcd(divisor, flows);
  for (auto& [route, flows] : signature) flows /= divisor;
  return bandwidth / divisor;
}

}  // namespace

Network condense(const Footprints& footprints, const platform::Platform& platform) {
  Network network;
  std::map<Shape, int> routes;
  std::vector<Signature> signatures(platform.links().size());
  for (const Phase& phase : footprints.phases) {
    if (phase.transfer <= Seconds(0)) {
      network.route_of.push_back(-1);
      continue;
    }
    const auto [found, is_new] = routes.emplace(shape(phase), static_cast<int>(routes.size()));
    network.route_of.push_back(found->second);
    if (!is_new) continue;
    for (const auto& [link, flows] : found->first)
      signatures[static_cast<size_t>(link)].emplace_back(found->second, flows);
  }

  // Of the links that always carry the same, only the slowest matters.
  std::map<Signature, BytesPerSecond> slowest;
  for (size_t link = 0; link < signatures.size(); ++link) {
    if (signatures[link].empty()) continue;
    const BytesPerSecond bandwidth = reduce(signatures[link], platform.links()[link].bandwidth);
    const auto [found, is_new]     = slowest.emplace(signatures[link], bandwidth);
    if (!is_new) found->second = std::min(found->second, bandwidth);
  }

  network.routes.resize(routes.size());
  for (const auto& [signature, bandwidth] : slowest) {
    const int link = static_cast<int>(network.links.size());
    network.links.push_back(bandwidth);
    for (const auto& [route, flows] : signature) {
      auto& links = network.routes[static_cast<size_t>(route)];
      links.insert(links.end(), static_cast<size_t>(flows), link);
    }
  }
  return network;
}

}  // namespace foreflow::simulate
