// The `.distir` text form of programs. Parsing a printed program gives the same program.
#pragma once

#include <string>
#include <string_view>

#include "foreflow/ir/module.h"

namespace foreflow::ir {

// Parses a program. The result passes verify. Throws Error("NAME:LINE:COLUMN", ...) for malformed text, unknown ops and
// functions, values that are used before they are defined or defined twice, and calls with the wrong number of operands
// or results.
Module parse(std::string_view text, const std::string& name, const OpTable& ops);

// Parses one type: "Tensor[Float32, (1, 128)]", "Int32", "D1".
Type parse_type(std::string_view text, const std::string& where);

std::string print(const Module& module);
std::string print(const Function& function, const Module& module);

// Checks that operands are defined before use, values are numbered in order, callees come before callers, calls have
// the right number of operands and results, names are unique, and device annotations agree. Throws Error naming the
// place.
void verify(const Module& module);

}  // namespace foreflow::ir
