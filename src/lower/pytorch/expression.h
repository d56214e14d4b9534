// One op as a Python expression, by its row of the table of emitters.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "foreflow/lower/pytorch.h"

namespace foreflow::lower {

// The processes of a script: a rank for each device, and the groups that communicate.
struct World {
  std::map<int32_t, int> ranks;       // device number -> rank
  std::set<std::vector<int>> groups;  // sorted ranks; filled while expressions are written
  // Per rank: the lists of ranks that its text names as teams[k], so that ranks in the same position share their text.
  std::vector<std::vector<std::vector<int>>> teams;

  int rank_of(const ir::Device& device) const { return ranks.at(device.index); }
  // "teams[k]" in the text of `rank`.
  std::string team(int rank, const std::vector<int>& members);
};

// An op where it stands in the program of one rank.
struct OpSite {
  const ir::Module& module;
  const ir::Function& function;
  const ir::Op& op;
  int rank;
  const std::vector<std::string>& names;  // Python names by ValueId

  const ir::Type& type(ir::ValueId id) const;  // unknown where the program says nothing
  std::vector<ir::ValueId> results() const;    // communication: those on this rank; else all
  [[noreturn]] void fail(const std::string& what) const;
};

// The expression; Error naming the op where it has no emitter or a type is needed that is not known.
std::string expression(const OpSite& site, World& world);

// Names that receive the results, and " = ": "a = ", "a, b = ", "a, = " for a sequence of one, "" where there are none.
std::string targets(const OpSite& site, bool sequence);

// The row's expression begins with '*'.
bool is_sequence(const ir::Op& op);

}  // namespace foreflow::lower
