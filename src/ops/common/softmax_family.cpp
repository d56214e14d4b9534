#include "ops/common/softmax_family.h"

#include <algorithm>
#include <limits>

namespace foreflow::ops {

double log_sum_exp(const std::vector<double>& x) {
  if (x.empty()) return -std::numeric_limits<double>::infinity();
  const double largest = *std::max_element(x.begin(), x.end());
  if (std::isinf(largest)) return largest;
  double sum = 0;
  for (const double value : x) sum += std::exp(value - largest);
  return largest + std::log(sum);
}

}  // namespace foreflow::ops
