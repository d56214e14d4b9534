#include "ops/common/generator.h"

#include <bit>
#include <cmath>

namespace foreflow::ops {

double Generator::uniform() {
  const uint32_t high = static_cast<uint32_t>(twister_()) >> 5U, low = static_cast<uint32_t>(twister_()) >> 6U;
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

double Generator::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  double x = 0, y = 0, square = 0;
  while (square >= 1 || square == 0) {
    x      = 2 * uniform() - 1;
    y      = 2 * uniform() - 1;
    square = x * x + y * y;
  }
  const double factor = std::sqrt(-2 * std::log(square) / square);
  spare_              = factor * x;
  has_spare_          = true;
  return factor * y;
}

Generator generator_of(const OpCall& call) {
  const double seed = call.attributes.float_or("seed", 0);
  if (seed >= 0 && seed < 4294967296.0 && seed == std::floor(seed)) return Generator(static_cast<uint32_t>(seed));
  return Generator(std::bit_cast<uint32_t>(static_cast<float>(seed)));
}

}  // namespace foreflow::ops
