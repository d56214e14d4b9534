// The number of ops of a program after inlining every call. It can be astronomically large: f1 calls f0 twice, f2 calls
// f1 twice, and so on.
#pragma once

#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::ir {

// Per function: the number of ops that one run of it executes, those of its calls included. Exact up to 2^53, rounded
// above, infinite if it exceeds a double. With `inlined` (per function), calls of functions that are not marked count
// as one op each.
std::vector<double> ops_written_out(const Module& module, const std::vector<bool>& inlined = {});

// Limits for algorithms that handle every op of the inlined program.
inline constexpr double kMostOpsAnalyzed = 2e6;  // dependencies of every op are followed
inline constexpr double kMostOpsCopied   = 1e7;  // every op is copied
inline constexpr double kMostOpsWalked   = 1e9;  // every op is visited

// Throws Error naming the first function of which one run executes more than `most` ops. `doing` completes the message:
// what would be done with the ops, such as "inlining them".
void check_written_out(const Module& module, double most, const std::string& doing,
                       const std::vector<bool>& inlined = {});

}  // namespace foreflow::ir
