// A tensor with its elements: constants in programs, inputs and results of the reference executor.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "foreflow/base/error.h"
#include "foreflow/ir/type.h"

namespace foreflow::ir {

// True if T is the C++ type that stores one element of `dtype`. Floats of 16 bits and fewer are stored as their bits.
// Integers of 4 bits take a byte each.
template <class T>
constexpr bool stores(DType dtype);

// A row-major tensor or a tuple of arrays. Copies share the elements, which are immutable once shared.
class Array {
 public:
  Array() = default;
  // Zeros. Throws MemoryError naming the type and its size if there is not enough memory.
  Array(DType dtype, Dims dims);

  // `values.size()` must be the element count of `dims`; T must be the storage type of `dtype`.
  template <class T>
  static Array of(DType dtype, Dims dims, std::span<const T> values) {
    Array array(dtype, dims);
    FOREFLOW_CHECK(static_cast<size_t>(array.size()) == values.size(), "as many values as elements");
    std::copy(values.begin(), values.end(), array.mutable_data<T>().begin());
    return array;
  }
  static Array of_floats(Dims dims, const std::vector<float>& values) { return of<float>(DType::f32, dims, values); }
  static Array of_ints(Dims dims, const std::vector<int64_t>& values) { return of<int64_t>(DType::i64, dims, values); }
  static Array scalar(int64_t value) { return of_ints({}, {value}); }
  static Array scalar(float value) { return of_floats({}, {value}); }
  static Array tuple(std::vector<Array> elements);

  DType dtype() const { return dtype_; }
  const Dims& dims() const { return dims_; }
  int64_t size() const { return size_; }
  bool is_tuple() const { return tuple_; }
  const std::vector<Array>& elements() const { return elements_; }
  Type type(Device device = {}) const;

  template <class T>
  std::span<const T> data() const {
    check_storage(stores<T>(dtype_));
    return {reinterpret_cast<const T*>(storage_->data()), static_cast<size_t>(size_)};
  }
  // Only valid while no other array shares the elements, that is, right after construction.
  template <class T>
  std::span<T> mutable_data() {
    check_storage(stores<T>(dtype_) && storage_.use_count() == 1);
    return {reinterpret_cast<T*>(storage_->data()), static_cast<size_t>(size_)};
  }
  const std::byte* bytes() const { return storage_->data(); }
  std::byte* mutable_bytes() { return storage_->data(); }
  size_t byte_count() const { return storage_->size(); }

  // One element of any data type as a double; bool is 0 or 1, a 64-bit integer is rounded to the nearest double.
  double at(int64_t index) const;
  // All elements as integers; floats are truncated.
  std::vector<int64_t> to_ints() const;
  // The same elements in another shape with as many elements.
  Array reshaped(const Dims& dims) const;

  // Same dtype, shape and bytes.
  bool operator==(const Array& other) const;

 private:
  static void check_storage(bool ok) { FOREFLOW_CHECK(ok, "the element type is the storage type of the array"); }

  DType dtype_ = DType::f32;
  Dims dims_;
  int64_t size_                                    = 0;
  bool tuple_                                      = false;
  std::shared_ptr<std::vector<std::byte>> storage_ = std::make_shared<std::vector<std::byte>>();
  std::vector<Array> elements_;
};

template <class T>
constexpr bool stores(DType dtype) {
  switch (dtype) {
    case DType::f64: return std::is_same_v<T, double>;
    case DType::f32: return std::is_same_v<T, float>;
    case DType::f16:
    case DType::bf16:
    case DType::u16: return std::is_same_v<T, uint16_t>;
    case DType::i64: return std::is_same_v<T, int64_t>;
    case DType::i32: return std::is_same_v<T, int32_t>;
    case DType::i16: return std::is_same_v<T, int16_t>;
    case DType::i8:
    case DType::i4: return std::is_same_v<T, int8_t>;
    case DType::u64: return std::is_same_v<T, uint64_t>;
    case DType::u32: return std::is_same_v<T, uint32_t>;
    case DType::f8:
    case DType::f8e4m3fnuz:
    case DType::f8e5m2:
    case DType::f8e5m2fnuz:
    case DType::f8e8m0:
    case DType::f4e2m1:
    case DType::u4:
    case DType::u8: return std::is_same_v<T, uint8_t>;
    case DType::boolean: return std::is_same_v<T, bool>;
  }
  return false;
}

}  // namespace foreflow::ir
