// The table of optimizers: which op updates a weight, and which states it keeps for it.
#pragma once

#include <string_view>
#include <vector>

#include "foreflow/base/registry.h"
#include "foreflow/ir/attributes.h"

namespace foreflow::transform {

struct OptimizerDef {
  std::string_view name;
  std::string_view doc;
  // Updates one weight: weight, gradient, states... -> new weight, new states...
  std::string_view op;
  // The suffixes of the names of a weight's states. Each state is a tensor of the weight's shape.
  std::vector<std::string_view> states = {};
  ir::Attributes attributes            = {};  // of `op`
  // For optimizers without states: the op that updates all weights at once, weights..., gradients... -> new weights...
  // Empty: every weight has its own `op`.
  std::string_view joint_op = {};
};

const Registry<OptimizerDef>& optimizers();

}  // namespace foreflow::transform
