// Measured iterations of real training runs, predicted row by row by one scenario in which only what a row states
// changes.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "foreflow/reproduce/reproduce.h"
#include "reproduce/published.h"

namespace foreflow::reproduce {

struct IterationSet {
  std::string_view file;      // "vtrain_a100_2gpu.csv", in data/iterations
  bool is_ours = false;       // the file is below tests/published of this repository
  std::string_view scenario;  // below scenarios/reproductions, without .json
  // Columns of words that the name of a row begins with.
  std::vector<std::string_view> named = {};
  // The columns that change, and the key of the scenario that each sets.
  std::vector<std::pair<std::string_view, std::string_view>> columns;
  std::string_view measured = {};  // the column of the iteration time
  double unit               = 1;   // of that column, in seconds
  // Sets the other keys of the scenario that a row determines; null if there are none.
  void (*adjust)(const Published& row, Json& scenario) = nullptr;
  // Its time in seconds, where no single column has it.
  double (*seconds)(const Published& row) = nullptr;
  // Rows for which it is false are left out: runs that failed, or whose strategy was not published.
  bool (*counts)(const Published& row) = nullptr;
};

// Sets a member of a member: "strategy.tp".
void set_at(Json& json, std::string_view key, double value);

// Predicted against measured seconds, with the share of each row's compute time by provenance. Throws Error when the
// measurements are not there, saying where they should be.
Result run_iterations(const IterationSet& set, const Options& options);

}  // namespace foreflow::reproduce
