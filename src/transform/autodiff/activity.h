// Activity analysis: which values of a function its gradients depend on. Calls are followed into their functions.
#pragma once

#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/module.h"

namespace foreflow::transform {

// A program together with its interpretation.
struct Interpreted {
  const ir::Module& module;
  interpret::MixedInterpretation interpretation;

  const interpret::Instance<interpret::Mixed>& instance(size_t number) const {
    return interpretation.instances[number];
  }
  const ir::Function& function(size_t number) const { return module.functions[instance(number).function]; }
};

// Returns true if the type is floating-point, or a tuple with a floating-point element.
bool is_floating(const ir::Type& type);

// Per value of instance `number`: whether it is floating-point and depends on a marked parameter ("active").
std::vector<bool> active_values(const Interpreted& program, size_t number, const std::vector<bool>& parameters);

// Per value: whether a marked result depends on it through active values only.
std::vector<bool> reached_values(const Interpreted& program, size_t number, const std::vector<bool>& active,
                                 const std::vector<bool>& results);

// The marks of an op's operands (false for an absent one), and of its results.
std::vector<bool> marks_of_inputs(const ir::Function& function, const ir::Op& op, const std::vector<bool>& marks);
std::vector<bool> marks_of_results(const ir::Op& op, const std::vector<bool>& marks);

}  // namespace foreflow::transform
