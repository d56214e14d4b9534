#include "search/score.h"

#include <algorithm>
#include <limits>

namespace foreflow::search {

double penalty(const ObjectiveDef& objective, const Figures& figures, const Terms& terms) {
  const double value = objective.value(figures, terms);
  return objective.is_maximised ? -value : value;
}

Score score_of(const Goal& goal, const Figures& figures) {
  return {penalty(*goal.objective, figures, goal.terms), -figures.samples_per_second, figures.memory.value()};
}

FrontScore front_score_of(const Goal& goal, const Figures& figures) {
  return {penalty(*goal.front[0], figures, goal.terms), penalty(*goal.front[1], figures, goal.terms)};
}

std::optional<double> gap_between(const ObjectiveDef& objective, double best, double least) {
  const double unknown = objective.is_maximised ? -std::numeric_limits<double>::infinity() : 0;
  if (least <= unknown) return std::nullopt;
  return std::max(0.0, objective.is_maximised ? least / best - 1 : 1 - least / best);
}

}  // namespace foreflow::search
