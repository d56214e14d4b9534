// Measured times of passes through some layers, predicted row by row by one scenario of a pipeline of three stages,
// whose middle stage has these layers and nothing else.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foreflow/reproduce/reproduce.h"
#include "reproduce/passes.h"
#include "reproduce/published.h"

namespace foreflow::reproduce {

struct LayerSet {
  std::string_view file;      // "sailor_layer_profiles.csv", in data/layers
  std::string_view scenario;  // below scenarios/reproductions, without .json
  // Returns the name of a row, without its passes.
  std::string (*name)(const Published& row) = nullptr;
  // Sets the keys of the scenario that a row determines.
  void (*adjust)(const Published& row, Json& scenario) = nullptr;
  struct Pass {
    std::string_view name, column;
    Seconds PassTimes::*time;
  };
  std::vector<Pass> passes;
  double unit = 1;  // of their columns, in seconds
  // Rows for which it is false are left out. Null: none is.
  bool (*counts)(const Published& row) = nullptr;
  std::vector<int> stages              = {2};  // whose times are added up
};

// A row for each pass of each row of the file. Throws Error when the measurements are not there.
Result run_layers(const LayerSet& set, const Options& options);

}  // namespace foreflow::reproduce
