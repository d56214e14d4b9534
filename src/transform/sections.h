// A function cut into pieces that are functions, so that something else may happen between them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "foreflow/ir/builder.h"

namespace foreflow::transform {

// In terms of the values of the function that was cut.
struct Section {
  ir::Function function;
  std::vector<ir::ValueId> parameters;  // parameters of the whole function, or made in sections before
  std::vector<ir::ValueId> results;     // read in sections after, or wanted
};

struct Cuts {
  std::vector<size_t> before;  // op numbers where a section begins, ascending; the first begins at op 0
  size_t end;                  // one past the last op of the last section
  std::vector<bool> wanted;    // per value: needed outside; results of the function always are
  std::map<size_t, ir::ValueId> left_out = {};  // ops that are not written, and the value that stands for their result
};

// What depends on no parameter is on no device: every section that needs it computes it. Sections are named NAME_1, ..
std::vector<Section> cut(const ir::Function& function, const Cuts& cuts, const std::string& name);

// Per value: it depends on a parameter.
std::vector<bool> depend_on_parameters(const ir::Function& function);

}  // namespace foreflow::transform
