// Random values for program inputs that the user does not supply.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "foreflow/ir/module.h"

namespace foreflow::execute {

// Floats are uniform in [-0.5, 0.5), integers and booleans uniform in [0, below). Second moments of optimizers (names
// that end in ".v") are not negative. Throws Error at `where` when the type is not fully known, or takes more memory
// than there is.
ir::Array random_value(const std::string& name, const ir::Type& type, int64_t below, std::mt19937_64& random,
                       const std::string& where);

}  // namespace foreflow::execute
