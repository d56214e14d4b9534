// Types: what is known about a value, namely its data type, its shape and the device that it lives on.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/units.h"

namespace foreflow::ir {

// Floats come first. `f8` is E4M3FN; narrow.h describes the other ones of at most 8 bits.
enum class DType : uint8_t {
  f64,
  f32,
  f16,
  bf16,
  f8,
  f8e4m3fnuz,
  f8e5m2,
  f8e5m2fnuz,
  f8e8m0,
  f4e2m1,
  i64,
  i32,
  i16,
  i8,
  i4,
  u64,
  u32,
  u16,
  u8,
  u4,
  boolean
};
inline constexpr int kDTypes = 21;  // number of data types

std::string_view name(DType dtype);                      // "Float32", as DistIR prints it
std::string_view short_name(DType dtype);                // "f32", as scenarios and platforms write it
std::optional<DType> find_dtype(std::string_view name);  // by either name
int bits_of(DType dtype);                                // of one element in memory and in files: 4 of Int4, 8 of Bool
int size_of(DType dtype);                                // bytes of one element of an Array: 1 of Int4
bool is_float(DType dtype);
bool is_arithmetic(DType dtype);  // whether a model can compute in it: a float of 16 bits or more, or f8

// A shape of at most kMaxRank dimensions, stored without heap memory. A dimension that is not known is kUnknown.
class Dims {
 public:
  static constexpr size_t kMaxRank  = 8;
  static constexpr int64_t kUnknown = -1;

  Dims() = default;
  Dims(std::initializer_list<int64_t> dims) : Dims(std::span<const int64_t>(dims.begin(), dims.size())) {}
  explicit Dims(std::span<const int64_t> dims);
  explicit Dims(const std::vector<int64_t>& dims) : Dims(std::span<const int64_t>(dims)) {}
  Dims(size_t rank, int64_t value);

  size_t size() const { return rank_; }
  bool empty() const { return rank_ == 0; }
  int64_t operator[](size_t axis) const { return dims_[axis]; }
  int64_t& operator[](size_t axis) { return dims_[axis]; }
  int64_t back() const { return dims_[rank_ - 1]; }
  void push_back(int64_t dim);  // throws Error when the rank would exceed kMaxRank
  void erase(size_t axis);
  void insert(size_t axis, int64_t dim);
  const int64_t* begin() const { return dims_.data(); }
  const int64_t* end() const { return dims_.data() + rank_; }
  int64_t* begin() { return dims_.data(); }
  int64_t* end() { return dims_.data() + rank_; }
  bool operator==(const Dims& other) const {
    return std::span(begin(), end()).size() == other.size() && std::equal(begin(), end(), other.begin());
  }

 private:
  std::array<int64_t, kMaxRank> dims_{};
  uint8_t rank_ = 0;
};

// Number of elements; -1 if a dimension is unknown.
int64_t element_count(const Dims& dims);
std::string to_string(const Dims& dims);  // "(64, 512)", "(3,)", "()", "(?, 8)"

// A device, or one stream of it: D1, D1.comm. Index -1 means no device (not placed).
struct Device {
  int32_t index = -1;
  std::array<char, 12> stream{};  // "" is the main stream; zero-padded

  Device() = default;
  explicit Device(int32_t number, std::string_view stream_name = "");
  std::string_view stream_name() const;
  bool placed() const { return index >= 0; }
  bool same_gpu(const Device& other) const { return index == other.index; }
  auto operator<=>(const Device&) const = default;
};
std::string to_string(const Device& device);  // "1", "1.comm"

// unknown: nothing is known, except perhaps the device. scalar: a single number that is not a tensor ("Int32").
struct Type {
  enum class Kind : uint8_t { unknown, scalar, tensor, tuple };

  Kind kind   = Kind::unknown;
  DType dtype = DType::f32;  // scalar, tensor
  bool ranked = true;        // tensor: false when not even the rank is known
  Dims dims;                 // tensor
  Device device;
  std::vector<Type> elements;  // tuple

  static Type tensor(DType dtype, Dims dims, Device device = {});
  static Type unranked(DType dtype, Device device = {});
  static Type scalar(DType dtype, Device device = {});
  static Type tuple(std::vector<Type> elements);
  static Type on(Device device);

  bool is_tensor() const { return kind == Kind::tensor; }
  bool is_tuple() const { return kind == Kind::tuple; }
  // True if the data type and every dimension are known; for a tuple, those of every element.
  bool resolved() const;
  bool operator==(const Type&) const = default;
};

// Size in memory, where two elements of 4 bits share a byte. Types that are not resolved count as nothing.
Bytes bytes_of(const Type& type);
// "Tensor[Float32, (64, 512), 1]", "Int32", "Int32[1]", "D1", "Tuple[...]", "?".
std::string to_string(const Type& type);
// The same type on `device`, elements of tuples included.
Type moved(Type type, const Device& device);
// The device of a value; for a tuple, that of its first element that has one.
Device device_of(const Type& type);

}  // namespace foreflow::ir
