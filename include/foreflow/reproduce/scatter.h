// Measured against predicted values as a picture.
#pragma once

#include <string>
#include <vector>

#include "foreflow/reproduce/reproduce.h"

namespace foreflow::reproduce {

struct ScatterSeries {
  std::string name;
  const Result* result;
};

// A complete <svg> element that needs nothing outside itself: a point for each row with two numbers above 0, both axes
// logarithmic with equal ranges, the diagonal on which a prediction is exact, and a band of 10 % around it. Throws
// Error when there is no such row.
std::string draw_scatter(const std::vector<ScatterSeries>& series);

}  // namespace foreflow::reproduce
