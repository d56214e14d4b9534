// Points that a search predicts before it knows a bound of any, so that it has something to show while it surveys.
#pragma once

#include <vector>

#include "search/question.h"
#include "search/space/branches.h"

namespace foreflow::search {

// Legal points that probably fit in memory and are not slow, the most promising first: for each of the degrees of
// parallelism that the space begins with, the one that leaves least in memory (Branches::leanest), in the smallest
// microbatches among the first that are legal; those with the fewest stages, and then with the most replicas, come
// first. At most `most`.
std::vector<Branch> first_guesses(const Question& question, const Branches& branches, size_t most);

}  // namespace foreflow::search
