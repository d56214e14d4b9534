// Which values of a function matter to its gradients, through the functions that it calls.
#pragma once

#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/module.h"

namespace foreflow::transform {

// A program and what is known about the values of each of its functions under each signature.
struct Interpreted {
  const ir::Module& module;
  interpret::MixedInterpretation interpretation;

  const interpret::Instance<interpret::Mixed>& instance(size_t number) const {
    return interpretation.instances[number];
  }
  const ir::Function& function(size_t number) const { return module.functions[instance(number).function]; }
};

// Floating-point numbers, or a tuple that has some.
bool is_floating(const ir::Type& type);

// Per value of instance `number`: whether it is floating and depends on one of the parameters that are marked.
std::vector<bool> active_values(const Interpreted& program, size_t number, const std::vector<bool>& parameters);

// Per value: whether one of the marked results may depend on it through active values alone.
std::vector<bool> reached_values(const Interpreted& program, size_t number, const std::vector<bool>& active,
                                 const std::vector<bool>& results);

// The marks of an op's operands (false where one is left out), and of its results.
std::vector<bool> marks_of_inputs(const ir::Function& function, const ir::Op& op, const std::vector<bool>& marks);
std::vector<bool> marks_of_results(const ir::Op& op, const std::vector<bool>& marks);

}  // namespace foreflow::transform
