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

// The classes of all values of a module, in a few bytes each.
class ValueClasses {
 public:
  ValueClass of(size_t function, size_t value) const {
    const int32_t weight = functions_[function].weights[value];
    return {functions_[function].kinds[value], weight < 0 ? std::string_view() : names_[static_cast<size_t>(weight)]};
  }

  struct OfFunction {
    std::vector<stream::MemoryClass> kinds;
    std::vector<int32_t> weights;  // into `names`: what the value is the gradient of; -1: of none
  };
  ValueClasses(std::vector<OfFunction> functions, std::vector<std::string_view> names)
      : functions_(std::move(functions)), names_(std::move(names)) {}

 private:
  std::vector<OfFunction> functions_;
  std::vector<std::string_view> names_;
};

// The names belong to `module`. Of a program whose backward pass nothing starts (no op is a loss_gradient), every result
// of an op is workspace.
ValueClasses classify(const ir::Module& module);

// How reports call a value of `function`: by its name, else by what it is made of: "MatMul(h.0.attn.weight)".
std::string label(const ir::Function& function, const std::vector<int32_t>& makers, const ValueClass& kind, ir::ValueId id);

}  // namespace foreflow::lower
