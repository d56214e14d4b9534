// The optimizers that a training step can use. Each is a row: which op updates a weight, and what it keeps for it.
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
  // What is kept of each weight from step to step: one tensor of the weight's shape for each suffix of its name.
  std::vector<std::string_view> states = {};
  ir::Attributes attributes            = {};  // of `op`
  // Updates all weights at once where nothing is kept of any: weights..., gradients... -> new weights...
  // Empty: one `op` for each weight there too.
  std::string_view joint_op = {};
};

const Registry<OptimizerDef>& optimizers();

}  // namespace foreflow::transform
