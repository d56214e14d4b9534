#include "search/space/axes.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

namespace foreflow::search {
namespace {

// Every order of the kinds of groups that are there: a group of one is nowhere in particular.
std::vector<Json> placement_order(const SpaceFacts& facts, const Json& point) {
  if ((facts.nodes == 1 && facts.equal_devices) || scenario::has_unequal_stages(point)) return {};
  // As a scenario has them that says nothing of its order; without cp, orders are written without it.
  const bool context = whole_or(point, "cp", 1) > 1;
  const auto usual =
      context ? std::vector<std::string_view>{"tp", "cp", "pp", "dp"} : std::vector<std::string_view>{"tp", "pp", "dp"};
  std::vector<size_t> order(usual.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::set<std::string> seen;
  std::vector<Json> values;
  do {
    std::string all, present;
    for (const size_t kind : order) {
      all += (all.empty() ? "" : "-") + std::string(usual[kind]);
      if (whole_or(point, usual[kind], 1) > 1) present += usual[kind];
    }
    if (seen.insert(present).second) values.emplace_back(all);
  } while (std::next_permutation(order.begin(), order.end()));
  return values;
}

// The keys of the strategy that a search knows how to vary, by their turns.
std::vector<AxisDef> searched_keys(bool degrees) {
  std::vector<AxisDef> rows;
  for (const scenario::StrategyKeyDef& key : scenario::strategy_keys()) {
    if (key.search.searched != Searched::never && key.search.is_degree == degrees)
      rows.push_back({key.name, key.search});
  }
  std::sort(rows.begin(), rows.end(), [](const AxisDef& a, const AxisDef& b) { return a.rule.turn < b.rule.turn; });
  return rows;
}

}  // namespace

const std::vector<AxisDef>& axis_table() {
  static const std::vector<AxisDef> rows = [] {
    std::vector<AxisDef> axes = searched_keys(false);
    axes.push_back(
        {"placement.order",
         {.searched = Searched::always, .legal = placement_order, .fastest = Open::all, .leanest = Open::first}});
    return axes;
  }();
  return rows;
}

const std::vector<AxisDef>& degree_table() {
  static const std::vector<AxisDef> rows = searched_keys(true);
  return rows;
}

}  // namespace foreflow::search
