#include "search/branch_refusals.h"

#include <algorithm>
#include <tuple>

namespace foreflow::search {
namespace {

bool has_one_choice(const Dimension& dimension) { return has_same_choices(dimension) && dimension.choices.size() == 1; }

// Whether the dimension decides a key of the strategy; several of them where it has members for all degrees.
bool decides(const Dimension& dimension, std::string_view key) {
  const auto has = [key](const Json& choice) { return choice.find(key) != nullptr; };
  return dimension.key == key || std::any_of(dimension.choices.begin(), dimension.choices.end(), has) ||
         std::any_of(dimension.by_cluster.begin(), dimension.by_cluster.end(),
                     [&](const auto& choices) { return std::any_of(choices.begin(), choices.end(), has); });
}

}  // namespace

BranchRefusals::BranchRefusals(const Question& question) : question_(question) {
  for (const Region& region : question.space().regions()) {
    std::vector<Known>& all = known_.emplace_back();
    auto asked              = std::tuple(size_t{0}, size_t{0}, false, false);
    for (size_t depth = 0; depth <= region.size(); ++depth) {
      Known& here      = all.emplace_back(known(region, depth));
      const auto knows = std::tuple(here.keys.read.size(), here.keys.settle.size(), here.keys.degrees, here.placement);
      // The platform is the first dimension; without it nothing can be said.
      const bool somewhere = depth == region.size() || region[depth].key != kPlatform;
      here.more            = somewhere && knows != asked;
      if (here.more) asked = knows;
    }
  }
}

BranchRefusals::Known BranchRefusals::known(const Region& region, size_t depth) const {
  const auto first_open = region.begin() + static_cast<ptrdiff_t>(depth);
  const auto is_known   = [&](std::string_view key) {
    return std::none_of(first_open, region.end(), [key](const Dimension& dimension) {
      return decides(dimension, key) && !has_one_choice(dimension);
    });
  };
  Known known;
  known.keys      = scenario::known_keys(is_known);
  known.placement = std::none_of(first_open, region.end(), [](const Dimension& dimension) {
    return dimension.key.starts_with(kPlacement) && !has_one_choice(dimension);
  });
  known.fixed     = Json::object();
  for (auto dimension = first_open; dimension != region.end(); ++dimension) {
    if (has_one_choice(*dimension)) known.fixed = with(known.fixed, dimension->choices.front());
  }
  return known;
}

std::optional<Refusal> BranchRefusals::of(const Branch& branch) const {
  const Known& known = known_[branch.region][branch.depth];
  if (!known.more) return std::nullopt;
  const Space& space     = question_.space();
  const Json point       = known.fixed.size() == 0 ? branch.point : with(branch.point, known.fixed);
  const Cluster& cluster = question_.clusters()[space.cluster(point)];
  return scenario::refuse_part(cluster.base, known.keys, strategy_of(point),
                               known.placement ? std::optional(space.placement(point)) : std::nullopt,
                               *cluster.platform);
}

}  // namespace foreflow::search
