#include "foreflow/execute/arguments.h"

#include <cmath>

#include "foreflow/ir/half.h"
#include "foreflow/ir/narrow.h"

namespace foreflow::execute {
namespace {

// The same on every machine, unlike the distributions of the standard library.
double uniform(std::mt19937_64& random) { return std::ldexp(static_cast<double>(random() >> 11U), -53); }

template <class T, class F>
void fill(ir::Array& array, F next) {
  for (T& value : array.mutable_data<T>()) value = static_cast<T>(next());
}

ir::Array tensor(const ir::Type& type, bool negative, int64_t below, std::mt19937_64& random) {
  ir::Array array(type.dtype, type.dims);
  const auto real = [&] {
    const double value = uniform(random) - 0.5;
    return negative ? value : std::abs(value);
  };
  const auto whole = [&] { return static_cast<int64_t>(random() % static_cast<uint64_t>(below)); };
  switch (type.dtype) {
    case ir::DType::f64: fill<double>(array, real); break;
    case ir::DType::f32: fill<float>(array, real); break;
    case ir::DType::f16: fill<uint16_t>(array, [&] { return ir::float_to_half(static_cast<float>(real())); }); break;
    case ir::DType::bf16: fill<uint16_t>(array, [&] { return ir::float_to_bfloat(static_cast<float>(real())); }); break;
    case ir::DType::f8:
    case ir::DType::f8e4m3fnuz:
    case ir::DType::f8e5m2:
    case ir::DType::f8e5m2fnuz:
    case ir::DType::f8e8m0:
    case ir::DType::f4e2m1:
      fill<uint8_t>(array, [&] { return ir::float_to_narrow(type.dtype, static_cast<float>(real())); });
      break;
    case ir::DType::i64: fill<int64_t>(array, whole); break;
    case ir::DType::i32: fill<int32_t>(array, whole); break;
    case ir::DType::i16: fill<int16_t>(array, whole); break;
    case ir::DType::i8: fill<int8_t>(array, whole); break;
    case ir::DType::i4: fill<int8_t>(array, [&] { return ir::to_int4(whole()); }); break;
    case ir::DType::u64: fill<uint64_t>(array, whole); break;
    case ir::DType::u32: fill<uint32_t>(array, whole); break;
    case ir::DType::u16: fill<uint16_t>(array, whole); break;
    case ir::DType::u8: fill<uint8_t>(array, whole); break;
    case ir::DType::u4: fill<uint8_t>(array, [&] { return ir::to_uint4(whole()); }); break;
    case ir::DType::boolean: fill<bool>(array, [&] { return random() % 2 == 1; }); break;
  }
  return array;
}

}  // namespace

ir::Array random_value(const std::string& name, const ir::Type& type, int64_t below, std::mt19937_64& random,
                       const std::string& where) {
  if (type.is_tuple()) {
    std::vector<ir::Array> elements;
    for (const ir::Type& element : type.elements) elements.push_back(random_value(name, element, below, random, where));
    return ir::Array::tuple(std::move(elements));
  }
  if (!type.resolved())
    throw Error(where, "%" + name + " has no known type; give --input " + name + "=FILE.pb or annotate it");
  try {
    return tensor(type, !name.ends_with(".v"), below, random);
  } catch (const Error& error) {  // there is not as much memory
    throw Error(where + ": %" + name, error.problem());
  }
}

}  // namespace foreflow::execute
