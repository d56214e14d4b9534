#include "search/prices.h"

#include <algorithm>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"

namespace foreflow::search {
namespace {

// The longest name that a kind begins with; null: none.
const std::pair<const std::string, double>* price_of_kind(const Goal& goal, const std::string& kind) {
  const std::pair<const std::string, double>* longest = nullptr;
  for (const auto& one : goal.prices) {
    if (!kind.starts_with(one.first)) continue;
    if (longest == nullptr || one.first.size() > longest->first.size()) longest = &one;
  }
  return longest;
}

}  // namespace

std::vector<Cluster> with_prices(std::vector<Cluster> clusters, const Goal& goal) {
  if (goal.prices.empty()) return clusters;
  std::set<std::string> kinds, unused;
  for (const auto& [name, price] : goal.prices) unused.insert(name);
  for (Cluster& cluster : clusters) {
    for (const platform::Device& device : cluster.platform->devices().kinds()) {
      kinds.insert(device.kind);
      const auto* priced = price_of_kind(goal, device.kind);
      if (priced == nullptr)
        throw Error("--price", "says nothing of " + device.kind + "; add " + device.kind + "=DOLLARS");
      cluster.prices.push_back(priced->second);
      unused.erase(priced->first);
    }
  }
  if (!unused.empty()) {
    throw Error("--price", "\"" + *unused.begin() + "\" is the price of no device; the kinds here are " + join(kinds));
  }
  return clusters;
}

double least_price(const Cluster& cluster) {
  return cluster.prices.empty() ? 0 : *std::min_element(cluster.prices.begin(), cluster.prices.end());
}

double mean_price(const Cluster& cluster, const scenario::Scenario& scenario) {
  if (cluster.prices.size() < 2) return least_price(cluster);
  const std::vector<int> places = scenario::places(scenario, *cluster.platform);
  const auto used               = static_cast<size_t>(scenario.strategy.devices());
  double sum                    = 0;
  for (size_t rank = 0; rank < used; ++rank) sum += nth(cluster.prices, cluster.platform->device_kind(places[rank]));
  return sum / static_cast<double>(used);
}

}  // namespace foreflow::search
