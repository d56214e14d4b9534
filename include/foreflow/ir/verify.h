// `verify` for callers that can vouch for some of its checks.
#pragma once

#include "foreflow/ir/module.h"

namespace foreflow::ir {

// unique: the caller guarantees that the names of values are unique, so this is not checked.
enum class Names : uint8_t { any, unique };

// The same as verify(module) in text.h, without the checks that `known` makes unnecessary.
void verify(const Module& module, Names known);

}  // namespace foreflow::ir
