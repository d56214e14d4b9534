#include "foreflow/transform/optimizers.h"

namespace foreflow::transform::definitions::adamw {

OptimizerDef row() {
  return {
      .name       = "adamw",
      .doc        = "adam with decoupled weight decay of 0.01 (Loshchilov and Hutter, 2019)",
      .op         = "AdamOptimizer",
      .states     = {".m", ".v"},
      .attributes = {{"weight_decay", 0.01}},
  };
}

}  // namespace foreflow::transform::definitions::adamw
