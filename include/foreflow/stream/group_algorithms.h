// Algorithms that communications along one dimension of the devices use in place of the common ones.
#pragma once

#include <array>
#include <vector>

#include "foreflow/collective/collective.h"

namespace foreflow::stream {

// By collective::Kind; null: collective::default_algorithm.
using Algorithms = std::array<const collective::AlgorithmDef*, collective::kKinds>;

// The algorithms of communications along one dimension of the devices: those among ranks (the first device is rank 0)
// that differ only in (rank / stride) % size.
struct GroupAlgorithms {
  int stride = 1, size = 1;
  Algorithms algorithms{};  // null: what all others use
};

// True when `ranks` differ only in this dimension.
bool is_among(const GroupAlgorithms& group, const std::vector<int>& ranks);

// The algorithm for a collective of this kind among `ranks`; null: the common one.
const collective::AlgorithmDef* algorithm_among(const std::vector<GroupAlgorithms>& groups, collective::Kind kind,
                                                const std::vector<int>& ranks);

}  // namespace foreflow::stream
