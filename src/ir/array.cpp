#include "foreflow/ir/array.h"

#include <cmath>
#include <new>

#include "foreflow/base/memory.h"
#include "foreflow/base/nth.h"
#include "foreflow/ir/half.h"
#include "foreflow/ir/narrow.h"

namespace foreflow::ir {
namespace {

size_t checked_bytes(DType dtype, const Dims& dims) {
  constexpr int64_t kLimit = int64_t{1} << 40;
  int64_t count            = 1;
  for (const int64_t dim : dims) {
    if (dim < 0 || (dim > 0 && count > kLimit / dim))
      throw Error("tensor " + to_string(dims), "is not a shape that fits in memory");
    count *= dim;
  }
  const auto bytes = static_cast<size_t>(count) * static_cast<size_t>(size_of(dtype));
  check_memory(Bytes(static_cast<double>(bytes)), [&] { return "a tensor " + to_string(Type::tensor(dtype, dims)); });
  return bytes;
}

std::shared_ptr<std::vector<std::byte>> zeros(DType dtype, const Dims& dims) {
  const size_t bytes = checked_bytes(dtype, dims);
  try {
    return std::make_shared<std::vector<std::byte>>(bytes);
  } catch (const std::bad_alloc&) {
    throw MemoryError("a tensor " + to_string(Type::tensor(dtype, dims)) + " takes " +
                      format(Bytes(static_cast<double>(bytes))) + ", more than there is");
  }
}

// The nearest integer towards 0, of those that there are; 0 for NaN.
int64_t truncated(double value) {
  constexpr double kEnd = 9223372036854775808.0;  // 2^63
  if (std::isnan(value)) return 0;
  if (value >= kEnd) return INT64_MAX;
  return value < -kEnd ? INT64_MIN : static_cast<int64_t>(value);
}

}  // namespace

Array::Array(DType dtype, Dims dims) : dtype_(dtype), dims_(dims), storage_(zeros(dtype, dims)) {
  size_ = element_count(dims);
}

Array Array::tuple(std::vector<Array> elements) {
  Array array;
  array.tuple_    = true;
  array.elements_ = std::move(elements);
  return array;
}

Type Array::type(Device device) const {
  if (!tuple_) return Type::tensor(dtype_, dims_, device);
  std::vector<Type> types;
  for (const Array& element : elements_) types.push_back(element.type(device));
  return Type::tuple(std::move(types));
}

double Array::at(int64_t index) const {
  FOREFLOW_CHECK(index >= 0 && index < size_, "an index inside the array");
  const auto i = static_cast<size_t>(index);
  switch (dtype_) {
    case DType::f64: return data<double>()[i];
    case DType::f32: return data<float>()[i];
    case DType::f16: return half_to_float(data<uint16_t>()[i]);
    case DType::bf16: return bfloat_to_float(data<uint16_t>()[i]);
    case DType::f8:
    case DType::f8e4m3fnuz:
    case DType::f8e5m2:
    case DType::f8e5m2fnuz:
    case DType::f8e8m0:
    case DType::f4e2m1: return narrow_to_float(dtype_, data<uint8_t>()[i]);
    case DType::i64: return static_cast<double>(data<int64_t>()[i]);
    case DType::i32: return data<int32_t>()[i];
    case DType::i16: return data<int16_t>()[i];
    case DType::i8:
    case DType::i4: return data<int8_t>()[i];
    case DType::u64: return static_cast<double>(data<uint64_t>()[i]);
    case DType::u32: return data<uint32_t>()[i];
    case DType::u16: return data<uint16_t>()[i];
    case DType::u8:
    case DType::u4: return data<uint8_t>()[i];
    case DType::boolean: return data<bool>()[i] ? 1 : 0;
  }
  return 0;
}

std::vector<int64_t> Array::to_ints() const {
  if (dtype_ == DType::i64) return {data<int64_t>().begin(), data<int64_t>().end()};
  if (dtype_ == DType::u64) return {data<uint64_t>().begin(), data<uint64_t>().end()};
  std::vector<int64_t> ints(static_cast<size_t>(size_));
  for (int64_t i = 0; i < size_; ++i) nth(ints, i) = truncated(at(i));
  return ints;
}

Array Array::reshaped(const Dims& dims) const {
  FOREFLOW_CHECK(element_count(dims) == size_, "a reshape keeps the number of elements");
  Array copy = *this;
  copy.dims_ = dims;
  return copy;
}

bool Array::operator==(const Array& other) const {
  return dtype_ == other.dtype_ && dims_ == other.dims_ && tuple_ == other.tuple_ && *storage_ == *other.storage_ &&
         elements_ == other.elements_;
}

}  // namespace foreflow::ir
