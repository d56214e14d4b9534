// Algorithms that communications along one dimension of the devices use in place of the common ones.
#pragma once

#include <array>
#include <vector>

#include "foreflow/collective/collective.h"

namespace foreflow::stream {

// By collective::Kind; null: collective::default_algorithm.
using Algorithms = std::array<const collective::AlgorithmDef*, collective::kKinds>;

// What communications along one dimension of the devices use: those among ranks (the first device is rank 0) that
// differ only in (rank / stride) % size.
struct GroupAlgorithms {
  int stride = 1, size = 1;
  Algorithms algorithms{};  // null: what all others use
};

// Whether `ranks` lie along the dimension of the group.
bool is_among(const GroupAlgorithms& group, const std::vector<int>& ranks);

// What a collective of the kind among `ranks` uses; null: nothing of its own.
const collective::AlgorithmDef* algorithm_among(const std::vector<GroupAlgorithms>& groups, collective::Kind kind,
                                                const std::vector<int>& ranks);

}  // namespace foreflow::stream
