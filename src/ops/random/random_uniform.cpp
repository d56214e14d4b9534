#include "ops/random/random.h"

namespace foreflow::ops::definitions::random_uniform {

OpDef row() {
  return random_row("RandomUniform", "numbers from [`low`, `high`), of `shape`, the same for the same `seed`",
                    Distribution::uniform);
}

}  // namespace foreflow::ops::definitions::random_uniform
