#include "ops/random.h"

namespace foreflow::ops::definitions {

OpDef random_normal() {
  return random_row("RandomNormal",
                    "normal numbers with `mean` and deviation `scale`, of `shape`, the same for the same `seed`",
                    Distribution::normal);
}

}  // namespace foreflow::ops::definitions
