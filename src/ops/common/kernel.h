// Conversion between arrays and the number types in which reference kernels compute: double for every float type
// (rounded once, when stored), uint64_t for unsigned 64-bit integers, int64_t for all other integers and bool.
#pragma once

#include <vector>

#include "ops/common/op.h"

namespace foreflow::ops {

// T is double, int64_t or uint64_t. Integers read as double where asked; floats read as integers are truncated.
template <class T>
std::vector<T> values_of(const Array& array);

// Stores with rounding to nearest even (floats) and wrap-around (integers); bool: whether it differs from 0.
template <class T>
Array array_of(DType dtype, const Dims& dims, const std::vector<T>& values);

// Calls `body` with a double, an int64_t or a uint64_t, whichever this dtype is computed in, and returns its result.
template <class F>
auto with_number_type(DType dtype, F&& body) {
  if (dtype == DType::u64) return body(uint64_t{});
  return ir::is_float(dtype) ? body(double{}) : body(int64_t{});
}

extern template std::vector<double> values_of<double>(const Array&);
extern template std::vector<int64_t> values_of<int64_t>(const Array&);
extern template std::vector<uint64_t> values_of<uint64_t>(const Array&);
extern template Array array_of<double>(DType, const Dims&, const std::vector<double>&);
extern template Array array_of<int64_t>(DType, const Dims&, const std::vector<int64_t>&);
extern template Array array_of<uint64_t>(DType, const Dims&, const std::vector<uint64_t>&);

}  // namespace foreflow::ops
