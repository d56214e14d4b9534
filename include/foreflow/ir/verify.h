// The checks of verify, for those who know some of the answers.
#pragma once

#include "foreflow/ir/module.h"

namespace foreflow::ir {

// unique: who made the module has seen to it that no name of a value is taken twice.
enum class Names : uint8_t { any, unique };

// As verify(module) of text.h.
void verify(const Module& module, Names known);

}  // namespace foreflow::ir
