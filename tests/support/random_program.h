// Programs that say anything the text form can say, sense or nonsense: parsers and readers know no type rules.
#pragma once

#include <cstdint>

#include "foreflow/ir/module.h"

namespace foreflow::test {

// The same program for the same seed: one to three functions of a few statements. It passes ir::verify.
ir::Module random_program(uint64_t seed);

}  // namespace foreflow::test
