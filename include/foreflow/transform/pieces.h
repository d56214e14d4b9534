// How the parameters and results of a distributed program lie in those of the program that it was made of.
#pragma once

#include <span>
#include <vector>

#include "foreflow/ir/module.h"
#include "foreflow/transform/layout.h"

namespace foreflow::transform {

// A parameter or result of the new program in terms of the old one: part `index` of `ways`, as `layout` spreads it.
struct Piece {
  int32_t source;
  Layout layout;
  int ways      = 1;
  int index     = 0;
  ir::Dims dims = {};  // of the whole, for flat results
};

struct Distributed {
  ir::Module module;
  std::vector<Piece> parameters;  // per new parameter
  std::vector<Piece> results;     // per new result; whole results appear once
};

// The new program's arguments from the old one's, and the old one's results from the new one's.
std::vector<ir::Array> split_arguments(const std::vector<Piece>& pieces, const std::vector<ir::Array>& arguments);
std::vector<ir::Array> merge_results(const std::vector<Piece>& pieces, const std::vector<ir::Array>& results,
                                     size_t count);

}  // namespace foreflow::transform
