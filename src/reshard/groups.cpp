#include "reshard/groups.h"

#include <map>
#include <utility>

namespace foreflow::reshard {

std::vector<std::vector<int>> groups(const Problem& problem) {
  using Key = std::pair<std::vector<std::pair<int, double>>, std::vector<int>>;
  std::map<Key, size_t> known;
  std::vector<std::vector<int>> result;
  for (size_t i = 0; i < problem.tasks.size(); ++i) {
    Key key{{}, problem.tasks[i].receivers};
    for (const Candidate& one : problem.tasks[i].senders) key.first.emplace_back(one.sender, one.duration.value());
    const auto [found, added] = known.emplace(std::move(key), result.size());
    if (added) result.emplace_back();
    result[found->second].push_back(static_cast<int>(i));
  }
  return result;
}

}  // namespace foreflow::reshard
