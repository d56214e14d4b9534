#include "search/space/branches.h"

#include <algorithm>

#include "search/space/axes.h"

namespace foreflow::search {

namespace {

// Returns true if the key changes the program of one unpipelined replica.
bool changes_programs(const Dimension& dimension) {
  const scenario::StrategyKeyDef* key = scenario::strategy_keys().find(dimension.key);
  return key != nullptr && key->of_one_replica;
}

// While it lives, one more dimension of the branch is decided: by a choice, or, where there is none, by leaving its
// keys out.
class Decision {
 public:
  Decision(Branch& branch, const Json* choice) : branch_(branch), members_(branch.point.size()) {
    ++branch.depth;
    if (choice == nullptr) return;
    for (const auto& [key, value] : *choice->if_object()) branch.point.set(key, value);
  }
  ~Decision() {
    --branch_.depth;
    branch_.point.keep_first(members_);
  }
  Decision(const Decision&)            = delete;
  Decision& operator=(const Decision&) = delete;

 private:
  Branch& branch_;
  size_t members_;
};

}  // namespace

// Points that are in several regions count in the first, so there every branch is a single point.
Branches::Branches(const Space& space) : space_(space) {
  const bool several = space.regions().size() > 1;
  for (const Region& region : space.regions()) {
    const auto open = std::find_if(region.begin(), region.end(), may_be_open);
    const auto last = std::find_if_not(region.rbegin(), region.rend(), has_same_choices);
    decided_.push_back(several ? region.size() : static_cast<size_t>(open - region.begin()));
    free_.push_back(static_cast<size_t>(region.rend() - last));
  }
}

void Branches::visit(const See& enter, const See& see) const {
  if (space_.regions().size() > 1)
    return space_.visit([&](const Json& point) { return see({0, space_.regions()[0].size(), point}); });
  Branch all{0, 0, Json::object()};
  visit_from(all, enter, see);
}

bool Branches::visit_from(Branch& branch, const See& enter, const See& see) const {
  if (branch.depth == decided_[branch.region]) return see(branch);
  if (!enter(branch)) return true;
  const std::vector<Json> choices = space_.choices(space_.regions()[branch.region], branch.depth, branch.point);
  const auto visit                = [&](const Json* choice) {
    const Decision decision(branch, choice);
    return visit_from(branch, enter, see);
  };
  if (choices.empty()) return visit(nullptr);
  return std::all_of(choices.begin(), choices.end(), [&](const Json& choice) { return visit(&choice); });
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

size_t Branches::points(const Branch& branch) const {
  Branch from = branch;
  return points_from(from);
}

// Choices of open dimensions do not depend on each other.
size_t Branches::points_from(Branch& branch) const {
  const Region& region = space_.regions()[branch.region];
  if (branch.depth >= std::min(decided_[branch.region], free_[branch.region])) {
    size_t product = 1;
    for (size_t d = branch.depth; d < region.size(); ++d)
      product *= std::max<size_t>(space_.count(region, d, branch.point), 1);
    return product;
  }
  const std::vector<Json> choices = space_.choices(region, branch.depth, branch.point);
  size_t sum                      = 0;
  for (size_t i = 0; i < std::max<size_t>(choices.size(), 1); ++i) {
    const Decision decision(branch, choices.empty() ? nullptr : &choices[i]);
    sum += points_from(branch);
  }
  return sum;
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

// Open keys that do not change the program of a replica decide how replicas exchange, and where they are.
bool Branches::can_be_sketched(const Branch& branch) const {
  const Region& region = space_.regions()[branch.region];
  return std::none_of(region.begin() + static_cast<ptrdiff_t>(std::min(branch.depth, region.size())), region.end(),
                      changes_programs);
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

std::optional<Json> Branches::sibling(const Branch& point, const std::string& key, const Json& value) const {
  const Json* own = point.point.find(key);
  if (space_.regions().size() > 1 || own == nullptr || *own == value) return std::nullopt;
  const Region& region = space_.regions()[point.region];
  for (size_t d = 0; d < region.size(); ++d) {
    if (region[d].key != key) continue;
    const std::vector<Json> choices = space_.choices(region, d, point.point);
    const bool there =
        std::any_of(choices.begin(), choices.end(), [&](const Json& c) { return *c.find(key) == value; });
    return there ? std::optional(Json(point.point).set(key, value)) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<Branches::Plain> Branches::plain(const Branch& point) const {
  const std::string key = "recompute";
  const bool idle       = scenario::word_or(point.point, key, "") == "selective" &&
                    scenario::is_fused(space_.facts(point.point), point.point);
  auto same = idle ? sibling(point, key, "none") : std::nullopt;
  return same ? std::optional(Plain{*std::move(same), key}) : std::nullopt;
}

Json Branches::fastest(const Branch& branch) const { return completed(branch, &scenario::SearchRule::fastest); }
Json Branches::leanest(const Branch& branch) const { return completed(branch, &scenario::SearchRule::leanest); }

std::vector<Json> Branches::families(const Branch& branch) const {
  const Region& region  = space_.regions()[branch.region];
  std::vector<Json> all = {fastest(branch)};
  for (size_t d = branch.depth; d < region.size(); ++d) {
    if (!changes_programs(region[d])) continue;
    std::vector<Json> crossed;
    for (const Json& point : all) {
      for (const Json& choice : space_.choices(region, d, branch.point)) crossed.push_back(with(point, choice));
    }
    if (!crossed.empty()) all = std::move(crossed);
  }
  return all;
}

std::vector<Json> Branches::differently_cut(const Branch& branch) const {
  const Region& region  = space_.regions()[branch.region];
  std::vector<Json> all = {fastest(branch)};
  for (size_t d = branch.depth; d < region.size(); ++d) {
    if (!region[d].rule->rule.moves_cuts) continue;
    std::vector<Json> others;
    for (const Json& choice : space_.choices(region, d, branch.point)) {
      for (const Json& point : all) {
        Json other = with(point, choice);
        if (other != point) others.push_back(std::move(other));
      }
    }
    all.insert(all.end(), others.begin(), others.end());
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
