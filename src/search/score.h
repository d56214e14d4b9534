// The order in which a search prefers strategies.
#pragma once

#include <array>
#include <optional>

#include "foreflow/search/objective.h"

namespace foreflow::search {

// The lower, the better, from left to right: the value of an objective (negative where it is maximised), time, memory.
// The score of the bounds of a strategy is a bound of its score.
using Score = std::array<double, 3>;

// The value, negative where it is maximised.
double penalty(const ObjectiveDef& objective, const Figures& figures, const Terms& terms);
Score score_of(const Goal& goal, const Figures& figures);

// The penalties by the two objectives of the front.
using FrontScore = std::array<double, 2>;
FrontScore front_score_of(const Goal& goal, const Figures& figures);

// By how much, as a fraction of it, the value of penalty `best` could be better with the penalty `least`; nothing when
// `least` is that of a figure without a bound.
std::optional<double> gap_between(const ObjectiveDef& objective, double best, double least);

}  // namespace foreflow::search
