// The keys that the framework of a scenario sets at the points of a search, where the degrees of parallelism are open.
// Conditions of a profile ask which degrees are above 1, so most of its keys of the strategy are known as soon as the
// degrees are; they are no choice then. Conditions that need more (whether layers divide among stages), and keys
// outside of the strategy (costs, times of the host), follow when a whole point is read.
#pragma once

#include <map>
#include <set>
#include <string>

#include "foreflow/scenario/framework.h"
#include "foreflow/search/cluster.h"

namespace foreflow::search {

// For one strategy object of the scenario `source`, whose values may be lists. `framework` is null where the scenario
// names none.
class FrameworkKeys {
 public:
  FrameworkKeys(const Json& source, const scenario::Framework* framework, const Json& strategy);

  // The keys that the framework sets with the degrees in `choice`, such as {"dp": 8, "tp": 4, "pp": 2}.
  Json with(const Json& choice);

 private:
  Json source_;
  const scenario::Framework* framework_;
  std::map<std::string, Json> known_;  // by degrees, where all but tp count as 2 if they are more
};

// The keys of the strategy that the framework may set, which no strategy of the scenario states.
std::set<std::string> keys_of_framework(const Json& source, const std::string& file);

// The members of a scenario that a strategy decides: `strategy` and `placement` (null: none is stated), and those that
// the framework sets with them in the scenario `asked` of a cluster.
Json completed_by_framework(const Json& asked, const scenario::Framework& framework, Json strategy, Json placement);

}  // namespace foreflow::search
