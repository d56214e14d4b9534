#include "ops/random.h"

namespace foreflow::ops::definitions {

OpDef random_uniform_like() {
  return random_like_row("RandomUniformLike",
                         "numbers from [`low`, `high`) in the shape of x, the same for the same `seed`",
                         Distribution::uniform);
}

}  // namespace foreflow::ops::definitions
