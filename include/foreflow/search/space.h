// The strategies that a search considers. A point is an object with the keys that vary or are set: {"platform":
// {"nodes": 4}, "dp": 2, "schedule": "1f1b", "placement.order": "tp-dp-pp"}; it names the platform where there are
// several. The space also has points that turn out to be illegal; predicting them gives a refusal.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "foreflow/scenario/run.h"
#include "foreflow/scenario/strategy_key.h"
#include "foreflow/search/cluster.h"

namespace foreflow::search {

// The most combinations of degrees that are listed for one strategy object.
constexpr size_t kMostDegrees = 1'000'000;

// The members of a point that are no keys of the strategy: "placement", or "placement.order" and the like; and
// "platform".
constexpr std::string_view kPlacement = "placement";
constexpr std::string_view kPlatform  = "platform";

struct AxisDef;

// One key of a point, or several that are decided together (dp, tp, pp).
struct Dimension {
  std::string key;            // "dp-tp-pp" when there are several
  std::vector<Json> choices;  // objects of the keys and their values; empty: those of `rule`, or of `by_cluster`
  const AxisDef* rule                       = nullptr;
  std::vector<std::vector<Json>> by_cluster = {};  // the choices with each of the clusters, where they differ
};

// Returns true if bounds can be computed before the dimension is decided. Such dimensions are the last of a region;
// among them, those that refined bounds may leave open, too, are the very last.
bool may_be_open(const Dimension& dimension);
// Returns true if the dimension has the same choices at every point.
bool has_same_choices(const Dimension& dimension);

// The points of one strategy object of the scenario: all combinations of choices, where the choices of a dimension may
// depend on those of earlier dimensions. The platform is the first dimension, where there are several.
using Region = std::vector<Dimension>;

// The space of the strategy and placement in `source`. A strategy is an object, or a list of objects whose spaces are
// united. Which values a key takes:
//   1. a value: this value only; a list: each of its values;
//   2. dp, tp or pp absent, or cp "any": all divisors such that dp * cp * tp * pp is the number of devices;
//   3. another key that is absent, or "any": every legal value, by the key's SearchRule.
// The keys of the placement follow the same rules; the placement "any" has the order "any".
//
// Example: on 8 devices {"tp": [1, 2], "microbatches": 4} has, for tp = 1, (dp, pp) = (1, 8), (2, 4), (4, 2), (8, 1),
// and for tp = 2 (1, 4), (2, 2), (4, 1), each combined with the legal values of the other searched keys.
class Space {
 public:
  // `clusters` are those of `source`. Throws Error at unknown keys, at axes without values, at values that are of
  // another kind than their keys, and at values of the placement that no point can have (scenario::check_placement).
  Space(const Json& source, const std::string& file, const std::vector<Cluster>& clusters);

  const std::vector<Region>& regions() const { return regions_; }
  // The choices of dimension `d` of a region when the earlier dimensions are decided as in `point`.
  std::vector<Json> choices(const Region& region, size_t d, const Json& point) const;
  // The same where they are listed, of which there may be very many; null: a rule gives them.
  const std::vector<Json>* listed(const Region& region, size_t d, const Json& point) const;
  size_t count(const Region& region, size_t d, const Json& point) const;  // of these
  // The choice that a search assumes before it has decided this dimension.
  Json assumed(const Region& region, size_t d, const Json& point) const;

  // Calls `see` with every point once, in an order that never changes, until it returns false. No point is stored.
  void visit(const std::function<bool(const Json& point)>& see) const;
  // All points in that order. For small spaces.
  std::vector<Json> points() const;
  // An estimate of the number of points by random descents (Knuth, Mathematics of Computation, 1975): the mean, over
  // random points, of the product of the numbers of choices met on the way. Points in several regions count several
  // times.
  double estimate() const;

  // The index of the cluster of a point.
  size_t cluster(const Json& point) const;
  // The placement of one point: the point's placement keys over those of the scenario; null when there are none.
  Json placement(const Json& point) const;
  const scenario::SpaceFacts& facts(const Json& point) const { return facts_[cluster(point)]; }
  int64_t layers() const;  // as stated by the workload; 0: not stated

 private:
  bool visit_from(const Region& region, const Json& point, size_t d,
                  const std::function<bool(const Json& point)>& see) const;
  // Returns true if the point belongs to the region: it has a choice of every dimension, and no other key.
  bool has(const Region& region, const Json& point) const;

  Json placement_;                           // the scenario's, without its axes; null: it has none
  std::vector<scenario::SpaceFacts> facts_;  // by cluster
  std::map<std::string, size_t> numbers_;    // of the clusters, by what they say
  std::vector<Region> regions_;
};

// `point` with the members of `choice` added.
Json with(const Json& point, const Json& choice);
// Returns true if `point` has all members of `choice`.
bool has_all(const Json& point, const Json& choice);

// The parts of a point: the strategy; the placement, null where the point has no placement keys; and what it says of
// the platform, null where there is no choice.
Json strategy_of(const Json& point);
Json placement_of(const Json& point);
Json platform_of(const Json& point);

}  // namespace foreflow::search
