#include "ops/matrix/determinant.h"

#include <cmath>

#include "ops/common/letters.h"

namespace foreflow::ops {

double determinant(std::vector<double> matrix, size_t n) {
  const auto at      = [&](size_t row, size_t column) -> double& { return matrix[row * n + column]; };
  double determinant = 1;
  for (size_t k = 0; k < n; ++k) {
    size_t pivot = k;
    for (size_t row = k + 1; row < n; ++row) {
      if (std::abs(at(row, k)) > std::abs(at(pivot, k))) pivot = row;
    }
    if (at(pivot, k) == 0) return 0;
    for (size_t column = 0; pivot != k && column < n; ++column) std::swap(at(pivot, column), at(k, column));
    determinant *= pivot == k ? at(k, k) : -at(k, k);
    for (size_t row = k + 1; row < n; ++row) {
      const double factor = at(row, k) / at(k, k);
      for (size_t column = k; column < n; ++column) at(row, column) -= factor * at(k, column);
    }
  }
  return determinant;
}

Dims batch_of_squares(const OpCall& call, const Dims& dims) {
  const size_t rank = dims.size();
  if (rank < 2 || (dims[rank - 1] != dims[rank - 2] && dims[rank - 1] >= 0 && dims[rank - 2] >= 0)) {
    call.fail("the operand is " + to_string(dims) + "; square matrices would be right");
  }
  return Dims(std::span(dims.begin(), rank - 2));
}

Factors square_factors(const OpCall& call, bool keeps_matrix) {
  if (!splittable(call)) return {};
  const std::string batch = letters(tensor_operand(call, 0).dims.size() - 2), matrix = batch + "..";
  std::vector<std::string> inputs{matrix};
  if (call.arity() > 1) inputs.push_back(batch);
  return {.text = factor_text(call, inputs, {keeps_matrix ? matrix : batch})};
}

}  // namespace foreflow::ops
