#include "ops/random.h"

namespace foreflow::ops::definitions {

OpDef random_uniform() {
  return random_row("RandomUniform", "numbers from [`low`, `high`), of `shape`, the same for the same `seed`",
                    Distribution::uniform);
}

}  // namespace foreflow::ops::definitions
