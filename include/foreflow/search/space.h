// The strategies that a search looks at, as points: an object of the keys that vary or are set ("dp": 2, "schedule":
// "1f1b", "placement.order": "tp-dp-pp"). What is not legal is part of the space.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "foreflow/scenario/run.h"
#include "foreflow/scenario/strategy_key.h"

namespace foreflow::search {

constexpr size_t kMostPoints = 200'000;

struct AxisDef;

// One key, or several that are decided together (dp, tp, pp).
struct Dimension {
  std::string key;            // "dp-tp-pp" of several
  std::vector<Json> choices;  // objects of the keys and their values; empty: the rule's
  const AxisDef* rule = nullptr;
};

// One object of the scenario's strategy: every choice of each dimension, those further back depending on those before.
using Region = std::vector<Dimension>;

// Of the strategy that `source` asks for: an object, or a list of objects whose spaces are put together. A list is an
// axis. Of dp, tp and pp those that are absent, and cp where it is "any", take every divisor such that dp x cp x tp x
// pp is the number of devices. Other axes that are absent, or "any", take every value that is legal (axes.h). So do the
// lists of the placement.
class Space {
 public:
  // Throws Error for what is wrong with `source` beyond the strategy, and at unknown keys of it.
  Space(const Json& source, const std::string& file, const platform::Platform& platform);

  const std::vector<Region>& regions() const { return regions_; }
  // The choices of dimension `d` of a region, where the dimensions before it are decided as in `point`.
  std::vector<Json> choices(const Region& region, size_t d, const Json& point) const;
  // Which of them a search assumes that has not come to this dimension.
  Json assumed(const Region& region, size_t d, const Json& point) const;

  // All of them, each once. Throws Error when there are more than kMostPoints.
  std::vector<Json> points() const;
  // How many there are, by Knuth's estimate from random ones (Mathematics of Computation, 1975): the mean of the
  // product of the numbers of choices on the way to each. Points of several regions count several times.
  double estimate() const;

  // The placement at one point: the point's, with what the scenario says beside it; null where it says none.
  Json placement(const Json& point) const;
  // The scenario at one point.
  Json scenario(const Json& point) const;
  const std::string& file() const { return file_; }
  int64_t layers() const;  // as the workload states them; 0: it does not

 private:
  Json source_;
  std::string file_;
  std::shared_ptr<const scenario::SpaceFacts> facts_;
  std::vector<Region> regions_;
};

// `point` with the members of `choice`.
Json with(const Json& point, const Json& choice);

// The part of a point that is strategy, and the other: null where the placement is the scenario's own.
Json strategy_of(const Json& point);
Json placement_of(const Json& point);

}  // namespace foreflow::search
