#include "foreflow/transform/optimizers.h"

namespace foreflow::transform::definitions::adam {

OptimizerDef row() {
  return {
      .name   = "adam",
      .doc    = "moments of first and second order (Kingma and Ba, 2015)",
      .op     = "AdamOptimizer",
      .states = {".m", ".v"},
  };
}

}  // namespace foreflow::transform::definitions::adam
