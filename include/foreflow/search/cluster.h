// The platforms that a search may choose: one for every combination of values of the axes of the scenario's platform.
#pragma once

#include <string>
#include <vector>

#include "foreflow/scenario/run.h"

namespace foreflow::search {

struct Cluster {
  // The values of the axes: {"nodes": 4}; the whole platform where the scenario has a list of platforms. Null where it
  // has no axes, so that there is no choice.
  Json said;
  scenario::Scenario base;  // everything except strategy and placement
  // The scenario without strategy and placement as it was stated, before its framework set anything.
  Json asked;
  scenario::PlatformRef platform;
  // Clusters with the same number have devices of the same kinds.
  int hardware = 0;
  // Dollars for an hour of one device, by its kind (platform->devices().kinds()); empty: no kind has a price.
  std::vector<double> prices = {};
  // The samples of one iteration of a strategy that has no global batch: those of the program in the file. 0 for a
  // model family, whose strategies always have one.
  int64_t samples_of_file = 0;
};

// The clusters of a scenario, in the order of its axes. Its strategy and placement may hold lists; they are not read.
// Throws Error when another part of the scenario is wrong with one of the platforms.
//
// Example: "platform": {"topology": "dgx_a100", "nodes": [16, 17]} has two, which say {"nodes": 16} and {"nodes": 17}.
std::vector<Cluster> clusters_of(const Json& source, const std::string& file);

}  // namespace foreflow::search
