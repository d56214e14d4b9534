// Steps from one point of a space to another.
#pragma once

#include "foreflow/search/space.h"

namespace foreflow::search {

// The point with the choices of `wanted` wherever they are legal, and the assumed ones elsewhere. Decided are the first
// `decided` dimensions; the others get what is assumed.
Json completed(const Space& space, const Region& region, const Json& wanted, size_t decided);

// `point` with `choice` for one dimension; those after it keep their choices where they are legal.
Json changed(const Space& space, const Region& region, const Json& point, const Json& choice);

// The choices of dimension `d` at `point`, and which of them `point` has (their number when none).
struct Alternatives {
  std::vector<Json> choices;
  size_t own;
};
Alternatives alternatives(const Space& space, const Region& region, size_t d, const Json& point);

// Partitions into stages that differ from that of `point` by one unit, a layer or a part of one, moved to a neighbour. Empty without stages, and where the scenario says how they are cut.
std::vector<Json> partitions(const Space& space, const Region& region, const Json& point);

// Whether every dimension of `region` has one of its choices at `point`.
bool contains(const Space& space, const Region& region, const Json& point);

// Every point that differs in one dimension, or in its partition.
std::vector<Json> neighbours(const Space& space, const Region& region, const Json& point);

}  // namespace foreflow::search
