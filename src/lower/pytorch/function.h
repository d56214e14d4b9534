// A projected function as a Python function.
#pragma once

#include <string>
#include <vector>

#include "lower/pytorch/expression.h"

namespace foreflow::lower {

// own: values keep their names; canonical: they are v0, v1, .., so that functions that differ in names only are one
// text.
enum class Naming : uint8_t { own, canonical };

// "(w, x):" and the body, without the name. `callees[i]` is the Python name of function i of the module. One statement
// an op, its op and operand types in a comment behind it; values are deleted after their last use.
std::string function_text(const ir::Module& module, const ir::Function& function, int rank,
                          const std::vector<std::string>& callees, World& world, Naming naming);

}  // namespace foreflow::lower
