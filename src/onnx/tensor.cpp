#include "onnx/tensor.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "foreflow/base/nth.h"
#include "foreflow/ir/countable.h"
#include "foreflow/ir/narrow.h"
#include "onnx/dtype.h"

namespace foreflow::onnx {
namespace {

using ir::Array;
using ir::Dims;
using ir::DType;
using onnx_proto::TensorProto;

static_assert(std::endian::native == std::endian::little, "raw data is little-endian and is copied as it is");

[[noreturn]] void wrong_count(const std::string& where, const TensorProto& tensor, const Dims& dims, size_t found,
                              const std::string& unit, int64_t expected) {
  throw Error(where, "holds " + std::to_string(found) + " " + unit + "; " + dtype_text(tensor.data_type()) + " " +
                         ir::to_string(dims) + " needs " + std::to_string(expected));
}

template <class T, class Field>
void copy_field(const Field& field, Array& array) {
  auto out = array.mutable_data<T>();
  for (int i = 0; i < field.size(); ++i) nth(out, i) = static_cast<T>(field.Get(i));
}

// Calls use(field) with the typed field that holds numbers of this type, as onnx.proto assigns them.
template <class Use>
void with_field(const TensorProto& tensor, DType dtype, Use use) {
  switch (dtype) {
    case DType::f32: return use(tensor.float_data(), float{});
    case DType::f64: return use(tensor.double_data(), double{});
    case DType::i64: return use(tensor.int64_data(), int64_t{});
    case DType::i32: return use(tensor.int32_data(), int32_t{});
    case DType::i16: return use(tensor.int32_data(), int16_t{});
    case DType::i8: return use(tensor.int32_data(), int8_t{});
    case DType::u64: return use(tensor.uint64_data(), uint64_t{});
    case DType::u32: return use(tensor.uint64_data(), uint32_t{});
    case DType::u8:
    case DType::u4:
    case DType::i4:
    case DType::f8:
    case DType::f8e4m3fnuz:
    case DType::f8e5m2:
    case DType::f8e5m2fnuz:
    case DType::f8e8m0:
    case DType::f4e2m1: return use(tensor.int32_data(), uint8_t{});
    case DType::f16:
    case DType::bf16:
    case DType::u16: return use(tensor.int32_data(), uint16_t{});
    case DType::boolean: return use(tensor.int32_data(), bool{});
  }
}

bool is_packed(DType dtype) { return ir::bits_of(dtype) < 8; }

// Returns the number of entries that a field holds for `count` elements. An entry is a number, or a pair of numbers of
// 4 bits.
int64_t entries(DType dtype, int64_t count) { return is_packed(dtype) ? stored_bytes(dtype, count) : count; }

// Two elements of 4 bits from each byte, the first from its low half.
void unpack(std::span<const uint8_t> packed, Array& array) {
  auto* out = reinterpret_cast<uint8_t*>(array.mutable_bytes());
  for (size_t i = 0; i < array.byte_count(); ++i) {
    const auto bits = static_cast<uint8_t>(i % 2 == 0 ? packed[i / 2] & 15 : packed[i / 2] >> 4);
    out[i]          = array.dtype() == DType::i4 ? static_cast<uint8_t>(ir::to_int4(bits)) : bits;
  }
}

std::string packed(const Array& array) {
  std::string bytes((array.byte_count() + 1) / 2, 0);
  const auto* elements = reinterpret_cast<const uint8_t*>(array.bytes());
  for (size_t i = 0; i < array.byte_count(); ++i)
    bytes[i / 2] = static_cast<char>(bytes[i / 2] | (elements[i] & 15) << (i % 2 == 0 ? 0 : 4));
  return bytes;
}

}  // namespace

int64_t stored_bytes(DType dtype, int64_t count) {
  return is_packed(dtype) ? (count + 1) / 2 : count * ir::size_of(dtype);
}

void set_raw(Array& array, std::span<const char> raw) {
  if (is_packed(array.dtype())) return unpack({reinterpret_cast<const uint8_t*>(raw.data()), raw.size()}, array);
  std::copy_n(reinterpret_cast<const std::byte*>(raw.data()), array.byte_count(), array.mutable_bytes());
  if (array.dtype() != DType::boolean) return;
  for (size_t i = 0; i < array.byte_count(); ++i) array.mutable_bytes()[i] = std::byte{array.bytes()[i] != std::byte{}};
}

ir::Type tensor_type(const TensorProto& tensor, const std::string& where) {
  const std::optional<DType> dtype = find_dtype(tensor.data_type());
  if (!dtype) throw Error(where, "data type " + dtype_text(tensor.data_type()) + " is not supported");
  if (static_cast<size_t>(tensor.dims_size()) > Dims::kMaxRank) {
    throw Error(where, std::to_string(tensor.dims_size()) + " dimensions; at most " + std::to_string(Dims::kMaxRank) +
                           " are supported");
  }
  Dims dims;
  int64_t count = 1;
  for (const int64_t dim : tensor.dims()) {
    if (dim < 0) throw Error(where, "dimension " + std::to_string(dim) + " is negative");
    if (dim > 0 && count > ir::kMostElements / dim)
      throw ir::UncountableError(where, "has too many elements to count; check its dimensions");
    count *= dim;
    dims.push_back(dim);
  }
  return ir::Type::tensor(*dtype, dims);
}

bool is_external(const TensorProto& tensor) { return tensor.data_location() == TensorProto::EXTERNAL; }

void check_count(const TensorProto& tensor, const std::string& where) {
  const ir::Type type = tensor_type(tensor, where);
  const int64_t count = ir::element_count(type.dims);
  if (tensor.has_raw_data()) {
    const int64_t bytes = stored_bytes(type.dtype, count);
    if (std::cmp_not_equal(tensor.raw_data().size(), bytes))
      wrong_count(where, tensor, type.dims, tensor.raw_data().size(), "bytes", bytes);
    return;
  }
  with_field(tensor, type.dtype, [&](const auto& field, auto) {
    const int64_t numbers = entries(type.dtype, count);
    if (std::cmp_not_equal(field.size(), numbers))
      wrong_count(where, tensor, type.dims, static_cast<size_t>(field.size()), "numbers", numbers);
  });
}

Array to_array(const TensorProto& tensor, const std::string& where) {
  const ir::Type type = tensor_type(tensor, where);
  if (is_external(tensor)) throw Error(where, "keeps its numbers in another file; they must stand here");
  if (tensor.has_segment()) throw Error(where, "is a segment of a tensor; only whole tensors are supported");
  check_count(tensor, where);
  Array array(type.dtype, type.dims);
  if (tensor.has_raw_data()) {
    set_raw(array, tensor.raw_data());
    return array;
  }
  if (is_packed(type.dtype)) {
    unpack(std::vector<uint8_t>(tensor.int32_data().begin(), tensor.int32_data().end()), array);
    return array;
  }
  with_field(tensor, type.dtype, [&](const auto& field, auto element) { copy_field<decltype(element)>(field, array); });
  return array;
}

Array to_dense(const onnx_proto::SparseTensorProto& sparse, const std::string& where) {
  TensorProto shape;
  shape.set_data_type(sparse.values().data_type());
  *shape.mutable_dims() = sparse.dims();
  const ir::Type type   = tensor_type(shape, where);
  const Array values    = to_array(sparse.values(), where);
  const Array indices   = to_array(sparse.indices(), where);
  const auto rank       = static_cast<int64_t>(type.dims.size());
  const bool linear     = indices.dims().size() == 1;
  if (indices.dtype() != DType::i64 || indices.size() != values.size() * (linear ? 1 : rank)) {
    throw Error(where, "a sparse tensor needs one INT64 index, or one for each dimension, for each of its values");
  }
  Array dense(type.dtype, type.dims);
  const auto width = static_cast<size_t>(ir::size_of(type.dtype));
  for (int64_t i = 0; i < values.size(); ++i) {
    int64_t position = 0;
    if (linear) position = indices.data<int64_t>()[static_cast<size_t>(i)];
    for (int64_t axis = 0; !linear && axis < rank; ++axis) {
      const int64_t index = indices.data<int64_t>()[static_cast<size_t>(i * rank + axis)];
      const int64_t dim   = nth(type.dims, axis);
      if (index < 0 || index >= dim)
        throw Error(where, "index " + std::to_string(index) + " is outside its dimension of " + std::to_string(dim));
      position = position * dim + index;
    }
    if (position < 0 || position >= dense.size())
      throw Error(where, "index " + std::to_string(position) + " is outside the tensor");
    std::memcpy(dense.mutable_bytes() + static_cast<size_t>(position) * width,
                values.bytes() + static_cast<size_t>(i) * width, width);
  }
  return dense;
}

void set_tensor(TensorProto& tensor, const Array& array) {
  tensor.set_data_type(number_of(array.dtype()));
  for (const int64_t dim : array.dims()) tensor.add_dims(dim);
  if (is_packed(array.dtype())) {
    tensor.set_raw_data(packed(array));
  } else {
    tensor.set_raw_data(array.bytes(), array.byte_count());
  }
}

}  // namespace foreflow::onnx
