#include "foreflow/stream/group_algorithms.h"

#include <algorithm>

#include "foreflow/base/nth.h"

namespace foreflow::stream {

bool is_among(const GroupAlgorithms& group, const std::vector<int>& ranks) {
  const int first = ranks.front();
  return std::all_of(ranks.begin(), ranks.end(), [&](int rank) {
    return rank % group.stride == first % group.stride &&
           rank / group.stride / group.size == first / group.stride / group.size;
  });
}

const collective::AlgorithmDef* algorithm_among(const std::vector<GroupAlgorithms>& groups, collective::Kind kind,
                                                const std::vector<int>& ranks) {
  for (const GroupAlgorithms& group : groups) {
    const collective::AlgorithmDef* algorithm = nth(group.algorithms, kind);
    if (algorithm != nullptr && is_among(group, ranks)) return algorithm;
  }
  return nullptr;
}

}  // namespace foreflow::stream
