#include "foreflow/transform/optimizers.h"

namespace foreflow::transform::definitions::nesterov {

OptimizerDef row() {
  return {
      .name       = "nesterov",
      .doc        = "momentum with a look-ahead (Sutskever et al., 2013)",
      .op         = "MomentumOptimizer",
      .states     = {".velocity"},
      .attributes = {{"nesterov", int64_t{1}}},
  };
}

}  // namespace foreflow::transform::definitions::nesterov
