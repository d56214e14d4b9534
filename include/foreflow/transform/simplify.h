// Passes that write the same program more simply.
// Each pass works on the entry (last) function of a module whose parameters are annotated with types, and returns a new
// module; `ir::verify` holds after every pass.
#pragma once

#include <optional>
#include <string_view>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// Writes operands that only carry shapes into attributes and known numbers into constants, so that dimensions can be
// split. What computed them stays (see eliminate_dead_code): it is work that the original program does.
ir::Module resolve(const ir::Module& module);

// Removes what the entry's results do not need: ops, calls, results and parameters of functions that are called, and
// functions that nobody calls. Optimizers and communication stay, and so do calls that run them; the entry keeps its
// parameters.
ir::Module eliminate_dead_code(const ir::Module& module);

// Computes once what a function computes twice: of ops with equal attributes, operands and stated types the first
// stays, calls of functions included. Optimizers, communication and ops with state or randomness are left alone. Values
// live longer for it.
ir::Module eliminate_common_subexpressions(const ir::Module& module);

// Writes the bodies of function `name`, or of all when empty, in place of their calls, and removes the functions; the
// entry stays. Throws Error when there is no such function.
ir::Module inline_calls(const ir::Module& module, std::string_view name = "");

// Constants that products, convolutions and normalizations take as weights become weight parameters.
ir::Module lift_constants(const ir::Module& module, const ir::OpTable& ops);

// Exporters write a fused q|k|v projection as a Split or as Slices, and only a Split may be split in blocks.
// The module with one Split in place of the Slices of one value that make n >= 2 equal parts of one dimension.
ir::Module join_slices(const ir::Module& module, const ir::OpTable& ops);
// Nothing where there is none.
std::optional<ir::Module> try_join_slices(const ir::Module& module, const ir::OpTable& ops);

}  // namespace foreflow::transform
