#include "ops/random.h"

namespace foreflow::ops::definitions {

OpDef random_normal_like() {
  return random_like_row(
      "RandomNormalLike",
      "normal numbers with `mean` and deviation `scale` in the shape of x, the same for the same `seed`",
      Distribution::normal);
}

}  // namespace foreflow::ops::definitions
