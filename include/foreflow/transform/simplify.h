// Passes that simplify a program without changing what it computes.
//
// Each pass works on the entry (last) function of a module whose parameters are annotated with types. It returns a new
// module, which passes `ir::verify`.
#pragma once

#include <optional>
#include <string_view>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// Replaces operands that only carry shapes by attributes, and values that are known numbers by constants, so that
// dimensions can be split. The ops that computed them are kept, because the original program does that work;
// eliminate_dead_code removes them.
ir::Module resolve(const ir::Module& module);

// Removes everything that the results of the entry do not need: ops, calls, parameters and results of called functions,
// and functions without a call. Optimizers, communication, calls that contain either, and the parameters of the entry
// are kept.
ir::Module eliminate_dead_code(const ir::Module& module);

// Common subexpression elimination within each function: of several ops or calls with equal attributes, operands and
// stated types only the first is kept. Optimizers, communication and ops with state or randomness are not touched. The
// remaining values live longer, which may take more memory.
ir::Module eliminate_common_subexpressions(const ir::Module& module);

// Inlines the calls of function `name`, or of every function when empty, and removes the inlined functions. Throws
// Error if there is no such function, or if it is the entry.
ir::Module inline_calls(const ir::Module& module, std::string_view name = "");

// Turns constants that products, convolutions and normalizations use as weights into weight parameters.
ir::Module lift_constants(const ir::Module& module, const ir::OpTable& ops);

// Replaces Slices of one value that together cut a dimension into n >= 2 equal parts by one Split. Exporters write a
// fused q|k|v projection either way, but only a Split can be distributed in blocks (Layout::blocks).
ir::Module join_slices(const ir::Module& module, const ir::OpTable& ops);
// The same, or nothing if there are no such Slices.
std::optional<ir::Module> try_join_slices(const ir::Module& module, const ir::OpTable& ops);

}  // namespace foreflow::transform
