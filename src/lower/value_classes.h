// Classifies the values of a program by their use: gradients, values that the backward pass needs, values that only
// feed a message. The classes follow from the roles of ops, for all functions at once: a value of a function has every
// class that any call gives it.
#pragma once

#include <string>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/ir/module.h"
#include "foreflow/stream/storage.h"

namespace foreflow::lower {

struct ValueClass {
  stream::MemoryClass kind = stream::MemoryClass::workspace;
  // The weight whose gradient the value is. For a tuple: the first weight, and the number of further ones.
  struct Target {
    std::string_view gradient_of = {};  // empty: not a gradient
    int32_t more                 = 0;
  } target = {};
};

// The classes of all values of a module, in a few bytes each.
class ValueClasses {
 public:
  using Target = ValueClass::Target;

  ValueClass of(size_t function, size_t value) const {
    const int32_t weight = functions_[function].weights[value];
    return {functions_[function].kinds[value], weight < 0 ? Target() : nth(targets_, weight)};
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

// The names refer to `module`. Without a backward pass (no op is a loss_gradient), every result of an op is workspace.
ValueClasses classify(const ir::Module& module);

// The label of a value of `function` in reports: its name, or else its op and operand: "MatMul(h.0.attn.weight)".
std::string label(const ir::Function& function, const std::vector<int32_t>& makers, const ValueClass& kind,
                  ir::ValueId id);

}  // namespace foreflow::lower
