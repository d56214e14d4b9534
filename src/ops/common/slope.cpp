#include "ops/common/slope.h"

namespace foreflow::ops {

std::vector<Sample> unit_interval_samples() {
  return {
      {{}, {f32({4, 2})}, {{0, Array::of_floats({4, 2}, {-0.875F, -0.5F, -0.25F, 0, 0.125F, 0.5F, 0.75F, 0.875F})}}},
      {{}, {f32({3})}, {{0, Array::of_floats({3}, {-0.375F, 0.0625F, 0.625F})}}}};
}

std::vector<Sample> wide_samples(const Attributes& attributes) {
  return {{{}, {f32({4, 2})}, {{0, Array::of_floats({4, 2}, {-5, -3.5F, -1.25F, -0.25F, 0.25F, 1.25F, 3.5F, 5})}}},
          {attributes, {f32({2, 2})}, {{0, Array::of_floats({2, 2}, {-4, -0.125F, 0.75F, 2})}}}};
}

}  // namespace foreflow::ops
