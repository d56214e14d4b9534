// The prices of the devices of clusters, if kinds of devices have prices.
#pragma once

#include <vector>

#include "foreflow/search/cluster.h"
#include "foreflow/search/objective.h"

namespace foreflow::search {

// The clusters with the prices of their devices. Throws Error at --price when a kind has none, or a name is of no kind.
std::vector<Cluster> with_prices(std::vector<Cluster> clusters, const Goal& goal);

// The price of the cheapest device of a cluster; 0 where no kind has a price.
double least_price(const Cluster& cluster);

// The mean price of the devices that a strategy uses, likewise.
double mean_price(const Cluster& cluster, const scenario::Scenario& scenario);

}  // namespace foreflow::search
