// The `.distir` text form: parse, print, verify. print then parse is the identity.
#pragma once

#include <string>
#include <string_view>

#include "foreflow/ir/module.h"

namespace foreflow::ir {

// Throws Error("NAME:LINE:COLUMN", ...) for malformed text, unknown ops and functions, values used before they are
// defined or defined twice, and calls with the wrong number of operands or results. The result passes verify.
Module parse(std::string_view text, const std::string& name, const OpTable& ops);

// Parses one type: "Tensor[Float32, (1, 128)]", "Int32", "D1".
Type parse_type(std::string_view text, const std::string& where);

std::string print(const Module& module);
std::string print(const Function& function, const Module& module);

// Checks the SSA form: operands defined before use, numbering, callees before callers, arity of calls, unique names,
// device annotations that agree. Throws Error naming the place.
void verify(const Module& module);

}  // namespace foreflow::ir
