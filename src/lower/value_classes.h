// What the values of a program are for: which are gradients, which the backward pass still needs, which only feed a
// message. Found from the roles of ops, for every function at once: a function's values are what any of its calls makes
// of them.
#pragma once

#include <string>
#include <vector>

#include "foreflow/ir/module.h"
#include "foreflow/stream/storage.h"

namespace foreflow::lower {

struct ValueClass {
  stream::MemoryClass kind = stream::MemoryClass::workspace;
  std::string_view gradient_of = {};  // the weight's name; empty: of none
};

// Per function, per value. The names belong to `module`. Of a program whose backward pass nothing starts (no op is a
// loss_gradient), every result of an op is workspace.
std::vector<std::vector<ValueClass>> classify(const ir::Module& module);

// How reports call a value of `function`: by its name, else by what it is made of: "MatMul(h.0.attn.weight)".
std::string label(const ir::Function& function, const std::vector<int32_t>& makers, const ValueClass& kind, ir::ValueId id);

}  // namespace foreflow::lower
