// How large a program is when the body of a function stands in the place of each of its calls. A few lines can call for
// more ops than there are atoms: f1 calls f0 twice, f2 calls f1 twice, and so on.
#pragma once

#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::ir {

// Of each function, how many ops one run of it takes, its calls and their ops included. Exact up to 2^53, then rounded,
// in the end infinite. With `inlined`, by function, a call of another function counts as the one op that it stays.
std::vector<double> ops_written_out(const Module& module, const std::vector<bool>& inlined = {});

// What goes through a program op by op can go through this many of them.
inline constexpr double kMostOpsAnalyzed = 2e6;  // each with all that depends on it
inline constexpr double kMostOpsCopied   = 1e7;
inline constexpr double kMostOpsWalked   = 1e9;

// Throws Error naming the first function one run of which takes more than `most` ops. `doing` is what would be done
// with each of them: "inlining them".
void check_written_out(const Module& module, double most, const std::string& doing,
                       const std::vector<bool>& inlined = {});

}  // namespace foreflow::ir
