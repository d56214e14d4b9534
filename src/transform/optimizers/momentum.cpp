#include "foreflow/transform/optimizers.h"

namespace foreflow::transform::definitions::momentum {

OptimizerDef row() {
  return {
      .name   = "momentum",
      .doc    = "gradient descent with momentum (Polyak, 1964)",
      .op     = "MomentumOptimizer",
      .states = {".velocity"},
  };
}

}  // namespace foreflow::transform::definitions::momentum
