#include "ops/common/kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "foreflow/ir/half.h"
#include "foreflow/ir/narrow.h"

namespace foreflow::ops {

namespace {

// Truncated; numbers that no int64_t holds become the nearest one that it does, NaN becomes 0.
int64_t to_integer(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 9223372036854775808.0) return std::numeric_limits<int64_t>::max();
  if (value < -9223372036854775808.0) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

// The same for uint64_t, except that negative numbers wrap around.
uint64_t to_whole(double value) {
  if (value >= 18446744073709551616.0) return std::numeric_limits<uint64_t>::max();
  if (value >= 9223372036854775808.0) return static_cast<uint64_t>(value);
  return static_cast<uint64_t>(to_integer(value));
}

template <class T, class From>
T number(From value) {
  if constexpr (!std::is_floating_point_v<From> || std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else if constexpr (std::is_signed_v<T>) {
    return to_integer(value);
  } else
    return to_whole(value);
}

template <class Stored, class T, class Convert>
std::vector<T> read(const Array& array, Convert convert) {
  std::vector<T> values;
  values.reserve(static_cast<size_t>(array.size()));
  for (const Stored element : array.data<Stored>()) values.push_back(number<T>(convert(element)));
  return values;
}

template <class Stored, class T, class Convert>
Array write(DType dtype, const Dims& dims, const std::vector<T>& values, Convert convert) {
  Array array(dtype, dims);
  FOREFLOW_CHECK(static_cast<size_t>(array.size()) == values.size(), "as many values as elements");
  std::transform(values.begin(), values.end(), array.mutable_data<Stored>().begin(), convert);
  return array;
}

}  // namespace

template <class T>
std::vector<T> values_of(const Array& array) {
  const auto same = [](auto element) { return element; };
  switch (array.dtype()) {
    case DType::f64: return read<double, T>(array, same);
    case DType::f32: return read<float, T>(array, same);
    case DType::f16: return read<uint16_t, T>(array, ir::half_to_float);
    case DType::bf16: return read<uint16_t, T>(array, ir::bfloat_to_float);
    case DType::i64: return read<int64_t, T>(array, same);
    case DType::i32: return read<int32_t, T>(array, same);
    case DType::i16: return read<int16_t, T>(array, same);
    case DType::i8:
    case DType::i4: return read<int8_t, T>(array, same);
    case DType::u64: return read<uint64_t, T>(array, same);
    case DType::u32: return read<uint32_t, T>(array, same);
    case DType::u16: return read<uint16_t, T>(array, same);
    case DType::u8:
    case DType::u4: return read<uint8_t, T>(array, same);
    case DType::boolean: return read<bool, T>(array, same);
    case DType::f8:
    case DType::f8e4m3fnuz:
    case DType::f8e5m2:
    case DType::f8e5m2fnuz:
    case DType::f8e8m0:
    case DType::f4e2m1:
      return read<uint8_t, T>(array, [&](uint8_t bits) { return ir::narrow_to_float(array.dtype(), bits); });
  }
  return {};
}

template <class T>
Array array_of(DType dtype, const Dims& dims, const std::vector<T>& values) {
  const auto integer = [](T value) { return number<int64_t>(value); };
  const auto rounded = [](auto convert) { return [=](T value) { return convert(static_cast<float>(value)); }; };
  switch (dtype) {
    case DType::f64: return write<double>(dtype, dims, values, [](T value) { return static_cast<double>(value); });
    case DType::f32: return write<float>(dtype, dims, values, [](T value) { return static_cast<float>(value); });
    case DType::f16: return write<uint16_t>(dtype, dims, values, rounded(ir::float_to_half));
    case DType::bf16: return write<uint16_t>(dtype, dims, values, rounded(ir::float_to_bfloat));
    case DType::i64: return write<int64_t>(dtype, dims, values, integer);
    case DType::i32:
      return write<int32_t>(dtype, dims, values, [=](T value) { return static_cast<int32_t>(integer(value)); });
    case DType::i16:
      return write<int16_t>(dtype, dims, values, [=](T value) { return static_cast<int16_t>(integer(value)); });
    case DType::i8:
      return write<int8_t>(dtype, dims, values, [=](T value) { return static_cast<int8_t>(integer(value)); });
    case DType::i4: return write<int8_t>(dtype, dims, values, [=](T value) { return ir::to_int4(integer(value)); });
    case DType::u64: return write<uint64_t>(dtype, dims, values, [](T value) { return number<uint64_t>(value); });
    case DType::u32:
      return write<uint32_t>(dtype, dims, values, [=](T value) { return static_cast<uint32_t>(integer(value)); });
    case DType::u16:
      return write<uint16_t>(dtype, dims, values, [=](T value) { return static_cast<uint16_t>(integer(value)); });
    case DType::u8:
      return write<uint8_t>(dtype, dims, values, [=](T value) { return static_cast<uint8_t>(integer(value)); });
    case DType::u4: return write<uint8_t>(dtype, dims, values, [=](T value) { return ir::to_uint4(integer(value)); });
    case DType::boolean: return write<bool>(dtype, dims, values, [](T value) { return value != 0; });
    case DType::f8:
    case DType::f8e4m3fnuz:
    case DType::f8e5m2:
    case DType::f8e5m2fnuz:
    case DType::f8e8m0:
    case DType::f4e2m1:
      return write<uint8_t>(dtype, dims, values,
                            rounded([=](float value) { return ir::float_to_narrow(dtype, value); }));
  }
  return {};
}

template std::vector<double> values_of<double>(const Array&);
template std::vector<int64_t> values_of<int64_t>(const Array&);
template std::vector<uint64_t> values_of<uint64_t>(const Array&);
template Array array_of<double>(DType, const Dims&, const std::vector<double>&);
template Array array_of<int64_t>(DType, const Dims&, const std::vector<int64_t>&);
template Array array_of<uint64_t>(DType, const Dims&, const std::vector<uint64_t>&);

}  // namespace foreflow::ops
