// Moves from one point of a space to another.
#pragma once

#include "foreflow/search/space.h"

namespace foreflow::search {

// The point that takes the choices of `wanted` for the first `decided` dimensions where they are legal, and the assumed
// choices everywhere else.
Json completed(const Space& space, const Region& region, const Json& wanted, size_t decided);

// `point` with `choice` for one dimension; those after it keep their choices where they are legal.
Json changed(const Space& space, const Region& region, const Json& point, const Json& choice);

// The choices of dimension `d` at `point`, and the index of the one that `point` has (their number if it has none of
// them).
struct Alternatives {
  std::vector<Json> choices;
  size_t own;
};
Alternatives alternatives(const Space& space, const Region& region, size_t d, const Json& point);

// The partitions into stages that differ from that of `point` by moving one unit (a layer or a part of one) to a
// neighbouring stage. Empty without a pipeline, and when the scenario fixes the partition.
std::vector<Json> partitions(const Space& space, const Region& region, const Json& point);

// True when `point` has a legal choice for every dimension of `region`.
bool contains(const Space& space, const Region& region, const Json& point);

// All points that differ from `point` in one dimension, or in the partition.
std::vector<Json> neighbours(const Space& space, const Region& region, const Json& point);

}  // namespace foreflow::search
