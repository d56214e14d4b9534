// Determinants of square matrices.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// The determinant of a row-major n x n matrix, by elimination with row exchange.
double determinant(std::vector<double> matrix, size_t n);

// The shape without its last two dimensions; fails where they are known to differ, or are not two.
Dims batch_of_squares(const OpCall& call, const Dims& dims);

// The batch may be split.
Factors square_factors(const OpCall& call, bool keeps_matrix);

}  // namespace foreflow::ops
