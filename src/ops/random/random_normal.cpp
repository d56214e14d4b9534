#include "ops/random/random.h"

namespace foreflow::ops::definitions::random_normal {

OpDef row() {
  return random_row("RandomNormal",
                    "normal numbers with `mean` and deviation `scale`, of `shape`, the same for the same `seed`",
                    Distribution::normal);
}

}  // namespace foreflow::ops::definitions::random_normal
