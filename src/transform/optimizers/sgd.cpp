#include "foreflow/transform/optimizers.h"

namespace foreflow::transform::definitions::sgd {

OptimizerDef row() {
  return {
      .name     = "sgd",
      .doc      = "plain gradient descent",
      .op       = "Optimizer",
      .joint_op = "SGDOptimizer",
  };
}

}  // namespace foreflow::transform::definitions::sgd
