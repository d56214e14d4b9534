#include "foreflow/search/space.h"

#include <algorithm>
#include <optional>
#include <set>

#include "foreflow/scenario/axes.h"
#include "foreflow/scenario/framework.h"
#include "foreflow/scenario/read_placement.h"
#include "foreflow/scenario/schema.h"
#include "search/framework_keys.h"
#include "search/space/axes.h"
#include "search/space/placement_forms.h"

namespace foreflow::search {
namespace {

using Choices = std::vector<Json>;

bool is_any(const Json& value) { return value.if_string() != nullptr && *value.if_string() == "any"; }

// One object {key: value} for each value.
Choices named(std::string_view key, const Choices& values) {
  Choices choices;
  for (const Json& value : values) choices.push_back(Json::object().set(key, value));
  return choices;
}

// Each value once.
Choices values_of(const JsonView& holder, std::string_view key) {
  const Json& value = holder.at(key).json();
  if (value.if_array() == nullptr) return {value};
  if (value.if_array()->empty()) holder.at(key).fail("is an axis without values; give one or more");
  Choices values;
  std::set<std::string> seen;
  for (const Json& item : *value.if_array()) {
    if (seen.insert(item.dump_compact()).second) values.push_back(item);
  }
  return values;
}

Choices all_divisors(int64_t number) {
  Choices choices;
  for (const int64_t divisor : scenario::divisors(number)) choices.emplace_back(divisor);
  return choices;
}

bool is_degree(std::string_view key) {
  const auto& rows = degree_table();
  return std::any_of(rows.begin(), rows.end(), [key](const AxisDef& row) { return row.key == key; });
}

[[noreturn]] void too_many_degrees(const std::string& file) {
  throw Error(file,
              "has more than " + std::to_string(kMostDegrees) + " combinations of dp, tp and pp; list fewer values");
}

// The divisors of the number of devices. Where stages may be unequal, all small numbers as well, because then the sum
// over the stages has to be the number of devices, and not a product.
Choices possible_degrees(const JsonView& strategy, int64_t devices) {
  constexpr int64_t kSmall = 16;
  Choices choices          = all_divisors(devices);
  if (!strategy.has("stage_tp") && !strategy.has("stage_cp")) return choices;
  for (int64_t degree = 2; degree <= std::min(devices, kSmall); ++degree) {
    if (devices % degree != 0) choices.emplace_back(degree);
  }
  return choices;
}

// All combinations of degrees. If a degree is left open, only those that use exactly the devices that there are.
Choices degrees(const JsonView& strategy, const SpaceFacts& facts) {
  Choices choices = {Json::object()};
  bool derived    = false;
  for (const auto& [key, rule] : degree_table()) {
    const bool absent = !strategy.has(key) || is_any(strategy.at(key).json());
    if (!strategy.has(key) && rule.searched != Searched::always) continue;
    derived              = derived || absent;
    const Choices listed = absent ? Choices() : values_of(strategy, key);
    if (choices.size() * listed.size() > kMostDegrees) too_many_degrees(strategy.file());
    Choices crossed;
    for (const Json& point : choices) {
      const Choices all = !absent                 ? listed
                          : rule.legal != nullptr ? rule.legal(facts, point)
                                                  : possible_degrees(strategy, facts.devices);
      if (all.empty()) crossed.push_back(point);
      for (const Json& value : all) crossed.push_back(Json(point).set(key, value));
      if (crossed.size() > kMostDegrees) too_many_degrees(strategy.file());
    }
    choices = std::move(crossed);
  }
  if (derived) {
    std::erase_if(choices, [&](const Json& point) {
      return scenario::devices_of(point) != facts.devices || !scenario::suits_stages(point);
    });
  }
  return choices;
}

[[noreturn]] void no_degrees(const JsonView& strategy, int64_t devices) {
  std::string stated;
  for (const AxisDef& row : degree_table()) {
    if (strategy.has(row.key))
      stated += (stated.empty() ? "" : ", ") + std::string(row.key) + " " + strategy.at(row.key).json().dump_compact();
  }
  throw Error(strategy.where(), "no dp, tp and pp with " + stated + " make the " + std::to_string(devices) +
                                    " devices; use degrees whose product divides them, or state all three");
}

// A choice that a cluster refuses, for a cluster that no degrees fit while they fit another cluster: the stated
// degrees, and one more device than it has for the first degree that is left open.
Json one_too_many(const JsonView& strategy, int64_t devices) {
  Json choice = Json::object();
  for (const AxisDef& row : degree_table()) {
    if (strategy.has(row.key) && !is_any(strategy.at(row.key).json()))
      choice.set(row.key, values_of(strategy, row.key).front());
  }
  for (const char* open : {"dp", "tp", "pp"}) {
    if (choice.find(open) == nullptr) return choice.set(open, devices + 1);
  }
  return choice;
}

// One dimension for all degrees, because they depend on each other. A choice includes the keys that the framework
// derives from its degrees.
Dimension degrees(const JsonView& strategy, const std::vector<SpaceFacts>& facts, FrameworkKeys framework) {
  Dimension dimension{"dp-tp-pp", {}, nullptr};
  bool fits = false;
  for (const SpaceFacts& of_cluster : facts) {
    Choices& choices = dimension.by_cluster.emplace_back(degrees(strategy, of_cluster));
    fits             = fits || !choices.empty();
    if (choices.empty()) choices = {one_too_many(strategy, of_cluster.devices)};
    for (Json& choice : choices) choice = with(choice, framework.with(choice));
  }
  if (!fits) no_degrees(strategy, facts.front().devices);
  return dimension;
}

bool decides(const Dimension& dimension, std::string_view key) {
  return dimension.key == key ||
         std::any_of(dimension.by_cluster.begin(), dimension.by_cluster.end(), [key](const Choices& choices) {
           return std::any_of(choices.begin(), choices.end(),
                              [key](const Json& choice) { return choice.find(key) != nullptr; });
         });
}

const AxisDef* row_of(std::string_view key) {
  const auto& rows = axis_table();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const AxisDef& row) { return row.key == key; });
  return found == rows.end() ? nullptr : &*found;
}

// A key of `holder`, which is the strategy or the placement; `prefix` is "" or "placement.".
Dimension given(const JsonView& holder, const std::string& key, const std::string& prefix) {
  const std::string name = prefix + key;
  const AxisDef* row     = row_of(name);
  if (row != nullptr && is_any(holder.at(key).json())) return {name, {}, row};
  return {name, named(name, values_of(holder, key)), nullptr};
}

// The dimensions of a strategy and a placement that state their choices.
Region stated_dimensions(const JsonView& strategy, const JsonView& placement) {
  Region stated;
  const auto add = [&](Dimension dimension) {
    if (dimension.rule == nullptr) stated.push_back(std::move(dimension));
  };
  for (const auto& [key, value] : strategy.members()) {
    if (!is_degree(key)) add(given(strategy, key, ""));
  }
  if (placement.json().if_object() != nullptr) {
    for (const auto& [key, value] : placement.members()) {
      Dimension dimension = given(placement, key, std::string(kPlacement) + ".");
      if (scenario::is_axis(dimension.key, value.json())) add(std::move(dimension));
    }
  } else if (placement.json().if_array() != nullptr) {
    const Json holder = Json::object().set(kPlacement, placement.json());
    add(given(JsonView(holder, placement.file()), std::string(kPlacement), ""));
  }
  return stated;
}

// Returns true if the choices of a key follow from its rule: where it is "any", or where it is absent and is searched
// all the same. The size of microbatches says how many there are.
bool is_ruled(const AxisDef& row, const JsonView& strategy, const JsonView& placement) {
  if (row.key == "microbatches" && strategy.has("microbatch_size")) return false;
  const bool of_placement = row.key.starts_with(kPlacement);
  const JsonView& holder  = of_placement ? placement : strategy;
  const std::string key(of_placement ? row.key.substr(kPlacement.size() + 1) : row.key);
  if (holder.json().if_object() != nullptr && holder.has(key)) return is_any(holder.at(key).json());
  return row.rule.searched == Searched::always && (!of_placement || placement.json().is_null());
}

// Dimensions that state their choices come first, because rules may depend on them; last those that bounds may leave
// open.
Region region_of(const JsonView& strategy, const JsonView& placement, const Choices& platforms,
                 const std::vector<SpaceFacts>& facts, FrameworkKeys framework) {
  strategy.allow_only(scenario::strategy_keys().names());
  scenario::check_values(strategy, true);
  Region region, ruled;
  if (!platforms.empty()) region.push_back({std::string(kPlatform), platforms, nullptr});
  region.push_back(degrees(strategy, facts, std::move(framework)));
  for (Dimension& dimension : stated_dimensions(strategy, placement)) region.push_back(std::move(dimension));
  const auto is_decided = [&](std::string_view key) {
    return std::any_of(region.begin(), region.end(), [&](const Dimension& other) { return decides(other, key); });
  };
  for (const AxisDef& row : axis_table()) {
    if (is_ruled(row, strategy, placement) && !is_decided(row.key)) ruled.push_back({std::string(row.key), {}, &row});
  }
  std::stable_partition(ruled.begin(), ruled.end(), [](const Dimension& dimension) { return !may_be_open(dimension); });
  std::stable_partition(ruled.begin(), ruled.end(),
                        [](const Dimension& dimension) { return !dimension.rule->rule.refines; });
  region.insert(region.end(), ruled.begin(), ruled.end());
  return region;
}

SpaceFacts facts_of(const scenario::Scenario& scenario, const platform::Platform& platform) {
  SpaceFacts facts;
  facts.devices = static_cast<int64_t>(platform.devices().size());
  facts.nodes   = platform.nodes();
  if (facts.nodes == 1) facts.equal_devices = has_equal_devices(platform);
  facts.training = scenario.workload.trains();
  if (scenario.workload.family == nullptr) return facts;
  const workload::Traits& family     = scenario.workload.family->traits;
  const scenario::Workload& workload = scenario.workload;
  facts.transformer                  = family.is_transformer;
  facts.flash                        = family.is_transformer && scenario.cost.fuses_attention;
  facts.layers                       = workload.size("layers");
  facts.sequence                     = workload.size("sequence");
  facts.experts                      = family.has_experts;
  facts.sequences                    = family.has_sequence;
  facts.expert_count                 = workload.size("experts");
  facts.vocabulary                   = workload.size("vocabulary");
  facts.routing                      = std::max<int64_t>(workload.size("routing_groups"), 1);
  if (facts.training) facts.layers *= family.stacks_in_training;
  return facts;
}

std::vector<const platform::Platform*> platforms_of(const std::vector<Cluster>& clusters) {
  std::vector<const platform::Platform*> platforms;
  for (const Cluster& cluster : clusters) platforms.push_back(cluster.platform.get());
  return platforms;
}

// The scenario with the placement "any" as an object with the order "any", which a framework does not decide either.
Json with_open_placement(const Json& source) {
  const Json* placement = source.find(kPlacement);
  if (placement == nullptr || !is_any(*placement)) return source;
  return Json(source).set(kPlacement, Json::object().set("order", "any"));
}

// The scenario's placement without its lists, which are axes; null where it has none.
Json own_placement(const Json& source) {
  const Json* placement = source.find(kPlacement);
  if (placement == nullptr) return {};
  if (placement->if_array() != nullptr) return Json::object();
  if (placement->if_string() != nullptr) return Json::object().set("policy", *placement);
  Json own = Json::object();
  for (const auto& [key, value] : *placement->if_object()) {
    const std::string path = std::string(kPlacement) + "." + key;
    if (!scenario::is_axis(path, value) && !is_any(value)) own.set(key, value);
  }
  return own;
}

}  // namespace

bool may_be_open(const Dimension& dimension) {
  return dimension.rule != nullptr && dimension.rule->rule.fastest != Open::never;
}

bool has_same_choices(const Dimension& dimension) { return dimension.rule == nullptr && dimension.by_cluster.empty(); }

Space::Space(const Json& source, const std::string& file, const std::vector<Cluster>& clusters) {
  scenario::refuse_misplaced_keys(JsonView(source, file));
  const std::optional<scenario::Framework> framework = scenario::framework_of(source, file);
  // For the placement: `strategy` may be a list.
  const Json known      = scenario::with_framework(with_open_placement(source), file).json;
  const Json none       = Json::object();
  const Json* strategy  = source.find("strategy");
  const Json* placement = known.find(kPlacement);
  Json holder           = Json::object();
  holder.set("strategy", strategy != nullptr ? *strategy : none);
  holder.set(kPlacement, placement != nullptr ? *placement : Json());
  const JsonView root(holder, file);
  if (placement != nullptr) scenario::check_placement(root.at(kPlacement), platforms_of(clusters));
  placement_ = own_placement(known);
  Choices platforms;
  for (const Cluster& cluster : clusters) {
    facts_.push_back(facts_of(cluster.base, *cluster.platform));
    if (cluster.said.is_null()) continue;
    numbers_.emplace(cluster.said.dump_compact(), facts_.size() - 1);
    platforms.push_back(Json::object().set(kPlatform, cluster.said));
  }
  const JsonView wanted = root.at("strategy");
  const auto add        = [&](const JsonView& part) {
    regions_.push_back(region_of(part, root.at(kPlacement), platforms, facts_,
                                        FrameworkKeys(source, framework ? &*framework : nullptr, part.json())));
  };
  if (wanted.json().if_array() == nullptr) {
    add(wanted);
    return;
  }
  for (const JsonView& part : wanted.items()) add(part);
  if (regions_.empty()) wanted.fail("is an empty list; give one object or more");
}

// No axis of a platform changes the workload.
int64_t Space::layers() const { return facts_.front().layers; }

size_t Space::cluster(const Json& point) const {
  const Json* platform = numbers_.empty() ? nullptr : point.find(kPlatform);
  return platform == nullptr ? 0 : numbers_.at(platform->dump_compact());
}

std::vector<Json> Space::choices(const Region& region, size_t d, const Json& point) const {
  if (const std::vector<Json>* all = listed(region, d, point)) return *all;
  return named(region[d].key, region[d].rule->rule.legal(facts_[cluster(point)], point));
}

const std::vector<Json>* Space::listed(const Region& region, size_t d, const Json& point) const {
  const Dimension& dimension = region[d];
  if (!dimension.by_cluster.empty()) return &dimension.by_cluster[cluster(point)];
  return dimension.rule == nullptr ? &dimension.choices : nullptr;
}

size_t Space::count(const Region& region, size_t d, const Json& point) const {
  const Dimension& dimension = region[d];
  if (has_same_choices(dimension)) return dimension.choices.size();
  const size_t cluster = this->cluster(point);
  if (!dimension.by_cluster.empty()) return dimension.by_cluster[cluster].size();
  return dimension.rule->rule.legal(facts_[cluster], point).size();
}

Json Space::assumed(const Region& region, size_t d, const Json& point) const {
  const std::vector<Json> all = choices(region, d, point);
  if (all.empty()) return Json::object();
  const AxisDef* rule = region[d].rule;
  if (rule == nullptr || rule->rule.assumed == nullptr) return all.front();
  return Json::object().set(region[d].key, rule->rule.assumed(facts_[cluster(point)], point));
}

bool Space::visit_from(const Region& region, const Json& point, size_t d,
                       const std::function<bool(const Json& point)>& see) const {
  if (d == region.size()) {
    const auto own = static_cast<size_t>(&region - regions_.data());
    for (size_t earlier = 0; earlier < own; ++earlier) {
      if (has(regions_[earlier], point)) return true;  // seen there
    }
    return see(point);
  }
  const std::vector<Json> values = choices(region, d, point);
  if (values.empty()) return visit_from(region, point, d + 1, see);
  return std::all_of(values.begin(), values.end(),
                     [&](const Json& choice) { return visit_from(region, with(point, choice), d + 1, see); });
}

void Space::visit(const std::function<bool(const Json& point)>& see) const {
  for (const Region& region : regions_) {
    if (!visit_from(region, Json::object(), 0, see)) return;
  }
}

std::vector<Json> Space::points() const {
  std::vector<Json> all;
  visit([&](const Json& point) {
    all.push_back(point);
    return true;
  });
  return all;
}

bool Space::has(const Region& region, const Json& point) const {
  Json before = Json::object();
  for (size_t d = 0; d < region.size(); ++d) {
    const std::vector<Json> values = choices(region, d, before);
    const auto own = std::find_if(values.begin(), values.end(), [&](const Json& c) { return has_all(point, c); });
    if (own == values.end() && !values.empty()) return false;
    if (own != values.end()) before = with(before, *own);
  }
  return before.if_object()->size() == point.if_object()->size();
}

Json Space::placement(const Json& point) const {
  Json placement = placement_of(point);
  if (placement_.is_null()) return placement;
  if (placement.is_null()) return placement_;
  return placement.if_object() == nullptr ? placement : with(placement_, placement);
}

Json with(const Json& point, const Json& choice) {
  Json longer = point;
  for (const auto& [key, value] : *choice.if_object()) longer.set(key, value);
  return longer;
}

bool has_all(const Json& point, const Json& choice) {
  return std::all_of(choice.if_object()->begin(), choice.if_object()->end(), [&](const auto& member) {
    const Json* value = point.find(member.first);
    return value != nullptr && *value == member.second;
  });
}

Json strategy_of(const Json& point) {
  Json strategy = Json::object();
  for (const auto& [key, value] : *point.if_object()) {
    if (!key.starts_with(kPlacement) && key != kPlatform) strategy.set(key, value);
  }
  return strategy;
}

Json placement_of(const Json& point) {
  Json placement;
  for (const auto& [key, value] : *point.if_object()) {
    if (key == kPlacement) return value;
    if (key.starts_with(kPlacement)) placement.set(key.substr(kPlacement.size() + 1), value);
  }
  return placement;
}

Json platform_of(const Json& point) {
  const Json* platform = point.find(kPlatform);
  return platform == nullptr ? Json() : *platform;
}

}  // namespace foreflow::search
