// Lower bounds of the time and memory of a point, computed without building its program. The bounds are admissible: a
// point whose bound is not good enough cannot be good enough itself, so leaving it out never loses a good point.
//
// Method: points that differ only in how one replica is divided, scheduled and replicated form a family. A family has
// one scenario::Demand, the demand of a single unpipelined replica, and each bound is derived from it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "foreflow/scenario/demand.h"
#include "search/bounds/group_shapes.h"
#include "search/bounds/in_flight.h"
#include "search/read_point.h"

namespace foreflow::search {

// Sums in a different order differ in the last digits, so bounds are reduced by this factor.
constexpr double kRounding = 1 - 1e-9;

// Zero where no bound is known.
struct Bound {
  Seconds time;
  Bytes memory;  // peak of the device that needs most
};

// True if a collective among `ranks` ranks may run beside the products whose results it sums, or whose rows it gathers:
// `overlap_tensor`.
bool overlaps_products(collective::Kind kind, size_t ranks, const scenario::Strategy& strategy);

// A lower bound of the time of one microbatch in all stages together, wherever the model is cut, for the placement of a
// point, or any of these placements. It takes milliseconds at first, and is zero where none is known.
using MicrobatchOf = std::function<Seconds(const ReadPoint& point, const std::vector<scenario::Placement>& placements)>;

class Bounds {
 public:
  // Once `stop` says so, no further demands are computed: their points have no bound.
  explicit Bounds(int jobs, std::function<bool()> stop = nullptr) : jobs_(jobs), stop_(std::move(stop)) {}

  // The bounds of `points`, in their order. Demands of new families are computed in `jobs` child processes and kept for
  // later calls. Requires: the points are legal.
  std::vector<Bound> of(const std::vector<const ReadPoint*>& points);

  // The name of a point's family. Clusters with equal devices share their families.
  std::string family(const ReadPoint& point) const;
  // The bound of a point of a known family; no bound for another. With `placements`, the lowest that it has with any of
  // them. `microbatch`: a lower bound of the time of one microbatch in all stages that is known otherwise.
  Bound of(const ReadPoint& point, const std::vector<scenario::Placement>& placements = {},
           Seconds microbatch = Seconds(0));

 private:
  // The demand that the scenarios of a family share; nothing when their replica cannot be built.
  using Family = std::optional<scenario::Demand>;
  struct Unknown {
    std::string name;
    Json source;  // of the scenario whose demand it has
    const Cluster* cluster;
  };
  void learn(const std::vector<Unknown>& families);

  ShapesOf shapes_;
  InFlightTable in_flight_;
  const int jobs_;
  const std::function<bool()> stop_;
  std::set<int64_t> batches_;
  std::map<std::string, Family> families_;  // by name
};

}  // namespace foreflow::search
