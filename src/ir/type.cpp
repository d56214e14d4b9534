#include "foreflow/ir/type.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "foreflow/ir/countable.h"

namespace foreflow::ir {
namespace {

struct DTypeRow {
  DType dtype;
  std::string_view name, short_name;
  int bits;
};

constexpr std::array<DTypeRow, kDTypes> kRows = {{{DType::f64, "Float64", "f64", 64},
                                                  {DType::f32, "Float32", "f32", 32},
                                                  {DType::f16, "Float16", "f16", 16},
                                                  {DType::bf16, "BFloat16", "bf16", 16},
                                                  {DType::f8, "Float8", "f8", 8},
                                                  {DType::f8e4m3fnuz, "Float8E4M3FNUZ", "f8e4m3fnuz", 8},
                                                  {DType::f8e5m2, "Float8E5M2", "f8e5m2", 8},
                                                  {DType::f8e5m2fnuz, "Float8E5M2FNUZ", "f8e5m2fnuz", 8},
                                                  {DType::f8e8m0, "Float8E8M0", "f8e8m0", 8},
                                                  {DType::f4e2m1, "Float4E2M1", "f4e2m1", 4},
                                                  {DType::i64, "Int64", "i64", 64},
                                                  {DType::i32, "Int32", "i32", 32},
                                                  {DType::i16, "Int16", "i16", 16},
                                                  {DType::i8, "Int8", "i8", 8},
                                                  {DType::i4, "Int4", "i4", 4},
                                                  {DType::u64, "UInt64", "u64", 64},
                                                  {DType::u32, "UInt32", "u32", 32},
                                                  {DType::u16, "UInt16", "u16", 16},
                                                  {DType::u8, "UInt8", "u8", 8},
                                                  {DType::u4, "UInt4", "u4", 4},
                                                  {DType::boolean, "Bool", "bool", 8}}};

const DTypeRow& row(DType dtype) { return nth(kRows, dtype); }

}  // namespace

std::string_view name(DType dtype) { return row(dtype).name; }
std::string_view short_name(DType dtype) { return row(dtype).short_name; }
int bits_of(DType dtype) { return row(dtype).bits; }
int size_of(DType dtype) { return (row(dtype).bits + 7) / 8; }
bool is_float(DType dtype) { return dtype <= DType::f4e2m1; }
bool is_arithmetic(DType dtype) { return dtype <= DType::f8; }

std::optional<DType> find_dtype(std::string_view name) {
  for (const DTypeRow& candidate : kRows) {
    if (candidate.name == name || candidate.short_name == name) return candidate.dtype;
  }
  return std::nullopt;
}

Dims::Dims(std::span<const int64_t> dims) {
  for (const int64_t dim : dims) push_back(dim);
}

Dims::Dims(size_t rank, int64_t value) {
  for (size_t i = 0; i < rank; ++i) push_back(value);
}

void Dims::push_back(int64_t dim) {
  if (rank_ == kMaxRank) throw Error("shape", fmt::format("has more than {} dimensions", kMaxRank));
  dims_[rank_++] = dim;
}

void Dims::erase(size_t axis) {
  std::copy(begin() + axis + 1, end(), begin() + axis);
  --rank_;
  dims_[rank_] = 0;
}

void Dims::insert(size_t axis, int64_t dim) {
  push_back(dim);
  std::rotate(begin() + axis, end() - 1, end());
}

int64_t element_count(const Dims& dims) {
  int64_t count = 1;
  for (const int64_t dim : dims) {
    if (dim < 0) return -1;
    if (__builtin_mul_overflow(count, dim, &count)) count = INT64_MAX;
  }
  return count;
}

bool is_countable(const Dims& dims) {
  int64_t count = 1;
  for (const int64_t dim : dims) {
    if (dim <= 0) continue;
    if (count > kMostElements / dim) return false;
    count *= dim;
  }
  return true;
}

namespace {

constexpr int64_t kClamp = int64_t{1} << 60;

int64_t clamped(bool overflows, bool negative, int64_t exact) {
  if (overflows) return negative ? -kClamp : kClamp;
  return std::clamp(exact, -kClamp, kClamp);
}

}  // namespace

int64_t clamped_sum(int64_t a, int64_t b) {
  int64_t sum          = 0;
  const bool overflows = __builtin_add_overflow(a, b, &sum);
  return clamped(overflows, a < 0, sum);
}

int64_t clamped_product(int64_t a, int64_t b) {
  int64_t product      = 0;
  const bool overflows = __builtin_mul_overflow(a, b, &product);
  return clamped(overflows, (a < 0) != (b < 0), product);
}

int64_t clamped_whole(double number) {
  constexpr auto kLimit = static_cast<double>(kClamp);
  if (!(number < kLimit)) return kClamp;
  return number > -kLimit ? static_cast<int64_t>(number) : -kClamp;
}

std::string to_string(const Dims& dims) {
  std::string text = "(";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ", ";
    text += dims[i] < 0 ? "?" : std::to_string(dims[i]);
  }
  if (dims.size() == 1) text += ",";
  return text + ")";
}

Device::Device(int32_t number, std::string_view stream_name) : index(number) {
  if (stream_name.size() > stream.size()) {
    throw Error("device " + std::to_string(number),
                fmt::format("stream name \"{}\" is longer than {} letters", stream_name, stream.size()));
  }
  std::copy(stream_name.begin(), stream_name.end(), stream.begin());
}

std::string_view Device::stream_name() const {
  return {stream.data(), static_cast<size_t>(std::find(stream.begin(), stream.end(), '\0') - stream.begin())};
}

std::string to_string(const Device& device) {
  std::string text = std::to_string(device.index);
  if (!device.stream_name().empty()) text += "." + std::string(device.stream_name());
  return text;
}

Type Type::tensor(DType dtype, Dims dims, Device device) {
  Type type;
  type.kind   = Kind::tensor;
  type.dtype  = dtype;
  type.dims   = dims;
  type.device = device;
  return type;
}

Type Type::unranked(DType dtype, Device device) {
  Type type   = tensor(dtype, {}, device);
  type.ranked = false;
  return type;
}

Type Type::scalar(DType dtype, Device device) {
  Type type = tensor(dtype, {}, device);
  type.kind = Kind::scalar;
  return type;
}

Type Type::tuple(std::vector<Type> elements) {
  Type type;
  type.kind     = Kind::tuple;
  type.elements = std::move(elements);
  return type;
}

Type Type::on(Device device) {
  Type type;
  type.device = device;
  return type;
}

bool Type::resolved() const {
  switch (kind) {
    case Kind::unknown: return false;
    case Kind::scalar: return true;
    case Kind::tensor: return ranked && element_count(dims) >= 0;
    case Kind::tuple: return std::all_of(elements.begin(), elements.end(), [](const Type& e) { return e.resolved(); });
  }
  return false;
}

Bytes bytes_of(const Type& type) {
  Bytes total;
  switch (type.kind) {
    case Type::Kind::unknown: break;
    case Type::Kind::scalar: total = Bytes(size_of(type.dtype)); break;
    case Type::Kind::tensor:
      if (type.resolved())
        total = Bytes(std::ceil(static_cast<double>(element_count(type.dims)) * bits_of(type.dtype) / 8));
      break;
    case Type::Kind::tuple:
      for (const Type& element : type.elements) total += bytes_of(element);
      break;
  }
  return total;
}

std::string to_string(const Type& type) {
  const bool placed = type.device.placed();
  switch (type.kind) {
    case Type::Kind::unknown: return placed ? "D" + to_string(type.device) : "?";
    case Type::Kind::scalar: return std::string(name(type.dtype)) + (placed ? "[" + to_string(type.device) + "]" : "");
    case Type::Kind::tensor: {
      const std::string shape = type.ranked ? to_string(type.dims) : "?";
      return fmt::format("Tensor[{}, {}{}]", name(type.dtype), shape, placed ? ", " + to_string(type.device) : "");
    }
    case Type::Kind::tuple: {
      std::string text = "Tuple[";
      for (size_t i = 0; i < type.elements.size(); ++i) text += (i > 0 ? ", " : "") + to_string(type.elements[i]);
      return text + "]";
    }
  }
  return "?";
}

Type moved(Type type, const Device& device) {
  type.device = device;
  for (Type& element : type.elements) element = moved(std::move(element), device);
  return type;
}

Device device_of(const Type& type) {
  if (type.device.placed()) return type.device;
  for (const Type& element : type.elements) {
    const Device device = device_of(element);
    if (device.placed()) return device;
  }
  return {};
}

}  // namespace foreflow::ir
