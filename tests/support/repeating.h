// Random programs that repeat themselves, and what is the same about two programs whose functions differ.
#pragma once

#include <cstdint>
#include <string>

#include "foreflow/ir/module.h"

namespace foreflow::test {

// One function on four parameters of (2, 4) floats: blocks of a few random ops, each written several times with other
// operands from outside, with other ops between them and constants here and there. Numbers stay finite.
ir::Module repeating_program(uint64_t seed);

// The entry's ops in order, Constants aside, as text in which values have no names: a result is the number of its op, a
// Constant its numbers. Equal texts compute the same.
std::string anonymous(const ir::Module& module);

size_t count_ops(const ir::Module& module);

}  // namespace foreflow::test
