#include "ops/random/random.h"

namespace foreflow::ops::definitions::random_uniform_like {

OpDef row() {
  return random_like_row("RandomUniformLike",
                         "numbers from [`low`, `high`) in the shape of x, the same for the same `seed`",
                         Distribution::uniform);
}

}  // namespace foreflow::ops::definitions::random_uniform_like
