// A binomial tree, far distances first: with distance d, places 0, 2d, 4d, ... serve the places d after them.
#pragma once

#include <vector>

namespace foreflow::collective {

struct Branch {
  int from, to;
  int first, count;  // the places that are served through this branch, `to` the first of them
};

// The branches by step, from the root (place 0) outwards.
std::vector<std::vector<Branch>> binomial_tree(int places);

}  // namespace foreflow::collective
