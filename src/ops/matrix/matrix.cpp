// The one file that includes Eigen, which takes the compiler seconds.
#include <Eigen/Core>

#include "ops/common/product.h"

namespace foreflow::ops {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The matrix as it lies in memory: before transposition.
Eigen::Map<const RowMajor> stored(const Matrix& matrix) {
  const int64_t rows    = matrix.transposed ? matrix.columns : matrix.rows,
                columns = matrix.transposed ? matrix.rows : matrix.columns;
  return {matrix.values.data(), rows, columns};
}

}  // namespace

std::vector<double> multiply(const Matrix& left, const Matrix& right) {
  FOREFLOW_CHECK(left.columns == right.rows, "the inner dimensions agree");
  std::vector<double> product(static_cast<size_t>(left.rows * right.columns));
  Eigen::Map<RowMajor> result(product.data(), left.rows, right.columns);
  const auto a = stored(left), b = stored(right);
  if (left.transposed && right.transposed) {
    result.noalias() = a.transpose() * b.transpose();
  } else if (left.transposed) {
    result.noalias() = a.transpose() * b;
  } else if (right.transposed) {
    result.noalias() = a * b.transpose();
  } else {
    result.noalias() = a * b;
  }
  return product;
}

}  // namespace foreflow::ops
