// The keys of strategies as columns.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "foreflow/search/search.h"

namespace foreflow::search {

// The columns that every ranking has.
constexpr std::array<std::string_view, 6> kColumns = {"dp", "tp", "pp", "microbatches", "global_batch", "schedule"};

// The members of a strategy and its placement by key; those of the placement as "placement.order".
using Said = std::map<std::string, std::string>;
Said said(const Json& strategy, const Json& placement);

}  // namespace foreflow::search
