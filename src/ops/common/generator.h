// Random numbers for ops: the generator and the formulas of NumPy's np.random.seed, uniform and normal, so that results
// can be compared with theirs. Same seed, same numbers, on every machine.
#pragma once

#include <random>

#include "ops/common/op.h"

namespace foreflow::ops {

class Generator {
 public:
  explicit Generator(uint32_t seed) : twister_(seed) {}

  // [0, 1), 53 bits of two draws (Matsumoto and Nishimura's genrand_res53).
  double uniform();
  // Mean 0, deviation 1: Marsaglia's polar method, whose second number serves the next call.
  double normal();

 private:
  std::mt19937 twister_;
  double spare_   = 0;
  bool has_spare_ = false;
};

// The attribute `seed`, 0 when absent; what is no whole number below 2^32 seeds with its bits as Float32.
Generator generator_of(const OpCall& call);

// `dims` numbers, drawn in row-major order.
template <class Draw>
std::vector<double> draws(const Dims& dims, Draw draw) {
  std::vector<double> numbers(static_cast<size_t>(element_count(dims)));
  for (double& number : numbers) number = draw();
  return numbers;
}

}  // namespace foreflow::ops
