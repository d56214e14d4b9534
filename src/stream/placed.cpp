#include "foreflow/stream/placed.h"

#include <algorithm>
#include <set>

#include "foreflow/base/nth.h"

namespace foreflow::stream {

Communication on_nodes(Communication communication, int nodes) {
  const auto found = std::find_if(communication.measured.begin(), communication.measured.end(),
                                  [&](const TimeOnNodes& one) { return one.nodes == nodes; });
  if (found == communication.measured.end()) return communication;
  communication.fixed     = found->time;
  communication.priced_by = found->time ? found->priced_by : "";
  communication.measured.clear();
  return communication;
}

bool PlacedCommunications::depends_on_ranks(int32_t communication) const {
  return !program_.groups.empty() || !nth(program_.communications, communication).measured.empty();
}

int32_t PlacedCommunications::of(int32_t communication, const std::vector<int>& ranks) {
  const Communication& general = nth(program_.communications, communication);
  const auto* algorithm        = algorithm_among(program_.groups, general.kind, ranks);
  std::set<int> nodes;
  if (!general.measured.empty()) {
    for (const int rank : ranks) nodes.insert(nth(program_.nodes, rank));
  }
  if (algorithm == nullptr && nodes.empty()) return communication;
  const auto count = static_cast<int>(nodes.size());
  const auto [found, fresh] =
      numbers_.try_emplace({communication, algorithm, count}, static_cast<int32_t>(all_.size()));
  if (fresh) {
    all_.push_back(on_nodes(general, count));
    if (algorithm != nullptr) all_.back().algorithm = algorithm;
  }
  return found->second;
}

}  // namespace foreflow::stream
