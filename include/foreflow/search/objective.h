// The objectives of a search, by which strategies are compared. A new objective is a new file in src/search/objectives.
// Knows figures of strategies; knows nothing of scenarios.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "foreflow/base/registry.h"
#include "foreflow/base/units.h"

namespace foreflow::search {

// The figures of a strategy by which objectives judge it.
struct Figures {
  double samples_per_second = 0;  // infinite: no bound is known
  Bytes memory;                   // peak of the device that needs most
  int64_t devices = 1;            // that the strategy uses
  double price    = 0;            // dollars for an hour of one of these, their mean; 0: Terms::price
};

// Facts that are the same for all strategies of a search; 0: not known, or not asked for.
struct Terms {
  double price              = 0;  // dollars for an hour of one device
  double at_least           = 0;  // samples per second: a slower strategy is infeasible
  int64_t tokens_per_sample = 0;
};

// A row of the table of objectives. Both functions are monotone: where a strategy has as many devices as another at the
// same price, is as fast or faster and needs as much memory or less, its value and its energy are as good or better. So
// the value of bounds is a bound of the value.
struct ObjectiveDef {
  std::string_view name;
  std::string_view doc;
  bool is_maximised;
  double (*value)(const Figures& figures, const Terms& terms);
  // The energy that annealing minimises. It falls as the value gets better: by the logarithm of the factor.
  double (*energy)(const Figures& figures, const Terms& terms);
  // A value with its unit: "31.2 samples/s".
  std::string (*text)(double value);
  // Head of its column in a table, key in JSON and head in CSV; empty where every ranking has the figure anyway.
  std::string_view column, key;
  // Words: "Least memory" "for the speed"; the second "is as fast"; no strategy is 3 % "faster" than the best.
  std::string_view superlative, quality, as_good, better;
  bool needs_price = false;  // and tokens, which not every workload has
  bool needs_rate  = false;  // a ranking by it is for a rate that is asked for
};

const Registry<ObjectiveDef>& objectives();

// The goal of a search: the objective by which it ranks, and the two objectives whose Pareto front it tells.
struct Goal {
  Goal();  // by throughput, with the front of throughput and memory

  const ObjectiveDef* objective;
  std::array<const ObjectiveDef*, 2> front;
  Terms terms;
  // Dollars for an hour of one device, by the beginning of its kind ("H100"); the longest that fits counts. Empty:
  // Terms::price for all.
  std::map<std::string, double> prices;
};

}  // namespace foreflow::search
