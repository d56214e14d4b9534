// Shared by the tables and figures of DistSim (Lu et al., CF '23): BERT-exLarge on four servers of four A10.
#pragma once

#include "reproduce/choices.h"

namespace foreflow::reproduce::distsim {

constexpr std::string_view kPaper =
    "Lu et al., DistSim: A performance model of large-scale hybrid distributed DNN training (CF '23)";

struct Bar {
  int dp, tp, pp;
  double iterations_per_second = 0;  // 0: it does not work
  std::string why;
};

// The 15 strategies over 16 GPUs with powers of two for dp, tp and pp, in the order of pp, then tp.
std::vector<Bar> bars(const Options& options);

// Details that the paper does not state, and the values assumed here.
std::string assumptions();

}  // namespace foreflow::reproduce::distsim
