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
  // The weight whose gradient the value is; of a tuple, the first one and how many more there are.
  struct Target {
    std::string_view gradient_of = {};  // empty: of none
    int32_t more                 = 0;
  } target = {};
};

// The classes of all values of a module, in a few bytes each.
class ValueClasses {
 public:
  using Target = ValueClass::Target;

  ValueClass of(size_t function, size_t value) const {
    const int32_t weight = functions_[function].weights[value];
    return {functions_[function].kinds[value], weight < 0 ? Target() : targets_[static_cast<size_t>(weight)]};
  }

  struct OfFunction {
    std::vector<stream::MemoryClass> kinds;
    std::vector<int32_t> weights;  // into `targets`: what the value is the gradient of; -1: of none
  };
  ValueClasses(std::vector<OfFunction> functions, std::vector<Target> targets)
      : functions_(std::move(functions)), targets_(std::move(targets)) {}

 private:
  std::vector<OfFunction> functions_;
  std::vector<Target> targets_;
};

// The names belong to `module`. Of a program whose backward pass nothing starts (no op is a loss_gradient), every
// result of an op is workspace.
ValueClasses classify(const ir::Module& module);

// How reports call a value of `function`: by its name, else by what it is made of: "MatMul(h.0.attn.weight)".
std::string label(const ir::Function& function, const std::vector<int32_t>& makers, const ValueClass& kind,
                  ir::ValueId id);

}  // namespace foreflow::lower
