#include "ops/random/random.h"

namespace foreflow::ops::definitions::random_normal_like {

OpDef row() {
  return random_like_row(
      "RandomNormalLike",
      "normal numbers with `mean` and deviation `scale` in the shape of x, the same for the same `seed`",
      Distribution::normal);
}

}  // namespace foreflow::ops::definitions::random_normal_like
