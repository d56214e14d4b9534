// The keys of strategies as columns.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/search/search.h"

namespace foreflow::search {

// The columns that every ranking has.
constexpr std::array<std::string_view, 6> kColumns = {"dp", "tp", "pp", "microbatches", "global_batch", "schedule"};

// The objectives of a goal that have a column of their own, each once.
std::vector<const ObjectiveDef*> own_columns(const Goal& goal);

// The members of a strategy, its placement and its platform by key; those of the placement as "placement.order", those
// of the platform as "platform.nodes".
using Said = std::map<std::string, std::string>;
Said said(const Json& strategy, const Json& placement, const Json& platform);
// is_default returns true if a strategy without the key has this value. differs_from_default returns true if a search
// may choose the value of the key, and this value is not the default. Both return false if the default depends on other
// keys.
bool is_default(const std::string& key, const std::string& value);
bool differs_from_default(const std::string& key, const std::string& value);

}  // namespace foreflow::search
