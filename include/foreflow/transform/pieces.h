// How the parameters and results of a distributed program relate to those of the program that it was made from.
#pragma once

#include <span>
#include <vector>

#include "foreflow/ir/module.h"
#include "foreflow/transform/layout.h"

namespace foreflow::transform {

// A parameter or result of the new program: the part of way `index`, of `ways`, of a parameter or result of the
// original that is distributed as `layout` says.
struct Piece {
  int32_t source;  // index among the parameters or results of the original
  Layout layout;
  int ways      = 1;
  int index     = 0;
  ir::Dims dims = {};  // flat results: the dimensions of the whole
};

struct Distributed {
  ir::Module module;
  std::vector<Piece> parameters;  // per parameter of `module`
  std::vector<Piece> results;     // per result of `module`; a whole result appears once
};

// split_arguments: the arguments of the distributed program, from those of the original. merge_results: the `count`
// results of the original, from those of the distributed program, in which the pieces of one source stand together.
std::vector<ir::Array> split_arguments(const std::vector<Piece>& pieces, const std::vector<ir::Array>& arguments);
std::vector<ir::Array> merge_results(const std::vector<Piece>& pieces, const std::vector<ir::Array>& results,
                                     size_t count);

}  // namespace foreflow::transform
