#include "search/branches.h"

#include <algorithm>

#include "search/axes.h"

namespace foreflow::search {

// Points that are in several regions count in the first, so there every branch is a single point.
Branches::Branches(const Space& space) : space_(space) {
  for (const Region& region : space.regions()) {
    const auto open = std::find_if(region.begin(), region.end(), may_be_open);
    decided_.push_back(space.regions().size() > 1 ? region.size() : static_cast<size_t>(open - region.begin()));
  }
}

void Branches::visit(const std::function<bool(const Branch& branch)>& see) const {
  if (space_.regions().size() > 1)
    space_.visit([&](const Json& point) { return see({0, space_.regions()[0].size(), point}); });
  else
    visit_from(0, 0, Json::object(), see);
}

bool Branches::visit_from(size_t region, size_t depth, const Json& point,
                          const std::function<bool(const Branch& branch)>& see) const {
  if (depth == decided_[region]) return see({region, depth, point});
  const std::vector<Json> choices = space_.choices(space_.regions()[region], depth, point);
  if (choices.empty()) return visit_from(region, depth + 1, point, see);
  return std::all_of(choices.begin(), choices.end(),
                     [&](const Json& choice) { return visit_from(region, depth + 1, with(point, choice), see); });
}

std::vector<Branch> Branches::children(const Branch& branch) const {
  const Region& region = space_.regions()[branch.region];
  for (size_t d = branch.depth; d < region.size(); ++d) {
    std::vector<Branch> all;
    for (const Json& choice : space_.choices(region, d, branch.point))
      all.push_back({branch.region, d + 1, with(branch.point, choice)});
    if (!all.empty()) return all;
  }
  return {{branch.region, region.size(), branch.point}};
}

// Choices of open dimensions do not depend on each other.
size_t Branches::points(const Branch& branch) const {
  const Region& region = space_.regions()[branch.region];
  size_t product       = 1;
  for (size_t d = branch.depth; d < region.size(); ++d)
    product *= std::max<size_t>(space_.choices(region, d, branch.point).size(), 1);
  return product;
}

std::vector<Json> Branches::first_points(const Branch& branch, size_t most) const {
  if (is_point(branch)) return {branch.point};
  std::vector<Json> points;
  for (const Branch& child : children(branch)) {
    if (points.size() >= most) break;
    for (Json& point : first_points(child, most - points.size())) points.push_back(std::move(point));
  }
  return points;
}

bool Branches::can_be_refined(const Branch& branch) const {
  const Region& region = space_.regions()[branch.region];
  return std::all_of(region.begin() + static_cast<ptrdiff_t>(std::min(branch.depth, region.size())), region.end(),
                     [](const Dimension& dimension) { return dimension.rule->rule.refines; });
}

Json Branches::completed(const Branch& branch, Open scenario::SearchRule::*which) const {
  const Region& region = space_.regions()[branch.region];
  Json point           = branch.point;
  for (size_t d = branch.depth; d < region.size(); ++d) {
    const std::vector<Json> choices = space_.choices(region, d, branch.point);
    if (choices.empty()) continue;
    point = with(point, region[d].rule->rule.*which == Open::last ? choices.back() : choices.front());
  }
  return point;
}

Json Branches::fastest(const Branch& branch) const { return completed(branch, &scenario::SearchRule::fastest); }
Json Branches::leanest(const Branch& branch) const { return completed(branch, &scenario::SearchRule::leanest); }

std::vector<Json> Branches::families(const Branch& branch) const {
  const Region& region    = space_.regions()[branch.region];
  std::vector<Json> all   = {fastest(branch)};
  const auto& keys        = scenario::strategy_keys();
  const auto changes_them = [&](const Dimension& dimension) {
    const scenario::StrategyKeyDef* key = keys.find(dimension.key);
    return key != nullptr && key->of_one_replica;
  };
  for (size_t d = branch.depth; d < region.size(); ++d) {
    if (!changes_them(region[d])) continue;
    std::vector<Json> crossed;
    for (const Json& point : all) {
      for (const Json& choice : space_.choices(region, d, branch.point)) crossed.push_back(with(point, choice));
    }
    if (!crossed.empty()) all = std::move(crossed);
  }
  return all;
}

std::vector<Json> Branches::counted(const Branch& branch) const {
  const Region& region = space_.regions()[branch.region];
  for (size_t d = branch.depth; d < region.size(); ++d) {
    if (region[d].rule->rule.fastest == Open::all) return space_.choices(region, d, branch.point);
  }
  return {};
}

}  // namespace foreflow::search
