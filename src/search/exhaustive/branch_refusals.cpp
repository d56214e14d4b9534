#include "search/exhaustive/branch_refusals.h"

#include <algorithm>
#include <tuple>

namespace foreflow::search {
namespace {

bool has_one_choice(const Dimension& dimension) { return has_same_choices(dimension) && dimension.choices.size() == 1; }

void add_keys(const std::vector<Json>& choices, std::set<std::string, std::less<>>& keys) {
  for (const Json& choice : choices) {
    if (const Json::Object* members = choice.if_object()) {
      for (const auto& [key, value] : *members) keys.insert(key);
    }
  }
}

}  // namespace

BranchRefusals::BranchRefusals(const Question& question) : question_(question) {
  for (const Region& region : question.space().regions()) {
    std::vector<Known>& all = known_.emplace_back();
    std::vector<Keys> keys;
    for (const Dimension& dimension : region) {
      add_keys(dimension.choices, keys.emplace_back(Keys{dimension.key}));
      for (const std::vector<Json>& choices : dimension.by_cluster) add_keys(choices, keys.back());
    }
    auto asked = std::tuple(size_t{0}, size_t{0}, false, false);
    for (size_t depth = 0; depth <= region.size(); ++depth) {
      Known& here      = all.emplace_back(known(region, keys, depth));
      const auto knows = std::tuple(here.keys.read.size(), here.keys.settle.size(), here.keys.degrees, here.placement);
      // The platform is the first dimension; without it nothing can be said.
      const bool somewhere = depth == region.size() || region[depth].key != kPlatform;
      here.more            = somewhere && knows != asked;
      if (here.more) asked = knows;
    }
  }
}

BranchRefusals::Known BranchRefusals::known(const Region& region, const std::vector<Keys>& keys, size_t depth) const {
  const auto first_open = region.begin() + static_cast<ptrdiff_t>(depth);
  const auto is_known   = [&](std::string_view key) {
    for (size_t d = depth; d < region.size(); ++d) {
      if (keys[d].contains(key) && !has_one_choice(region[d])) return false;
    }
    return true;
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
