// The keys that a search can vary, as rows of a table: those of the strategy and those of the placement.
#pragma once

#include <string_view>
#include <vector>

#include "foreflow/scenario/strategy_key.h"

namespace foreflow::search {

using scenario::Open;
using scenario::Searched;
using scenario::SpaceFacts;
using scenario::whole_or;

struct AxisDef {
  std::string_view key;  // of the strategy; "placement.order": of the placement
  scenario::SearchRule rule;
};

// All rows except the degrees, in the order in which they are decided.
const std::vector<AxisDef>& axis_table();

// The keys whose product is the number of devices, which are decided together.
const std::vector<AxisDef>& degree_table();

}  // namespace foreflow::search
