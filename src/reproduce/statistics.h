// How well two lists of numbers agree.
#pragma once

#include <vector>

namespace foreflow::reproduce {

// Rank correlation (Spearman, 1904): the correlation of the ranks, equal numbers sharing the mean of theirs. 0 where
// all numbers of a list are equal. As many of one as of the other.
double spearman(const std::vector<double>& a, const std::vector<double>& b);

// Correlation (Pearson); 0 where all numbers of a list are equal.
double pearson(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace foreflow::reproduce
