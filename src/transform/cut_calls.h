// Calls of the entry cut into calls of pieces, so that something may happen between them.
#pragma once

#include <map>
#include <set>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// A place in the program: an op of the entry and, where that is a call, an op of the called function.
struct Position {
  size_t op = 0, inner = 0;
  auto operator<=>(const Position&) const = default;
};

struct CallCuts {
  std::set<size_t> before;                       // ops of the called function where a piece begins; not 0
  std::map<size_t, ir::ValueId> left_out  = {};  // ops of it that are not written, and the value that stands for theirs
  auto operator<=>(const CallCuts&) const = default;
};

struct WithCutCalls {
  ir::Module module;
  std::vector<ir::ValueId> values;  // of the new entry, by value of the old; none: left out
  std::vector<size_t> first_op;     // in the new entry, by op of the old; and its end
  // The op of the new entry that begins at a place of the old one: the begin of an op, or a cut.
  size_t at(const Position& place, const std::map<size_t, CallCuts>& cuts) const;
};

// `cuts` by op of the entry.
WithCutCalls cut_calls(const ir::Module& module, const std::map<size_t, CallCuts>& cuts);

}  // namespace foreflow::transform
