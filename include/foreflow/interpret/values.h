// The values of an instance, by ValueId. Most values of a large program are equal to another one. Distinct values are
// therefore stored once per interpretation, and an instance stores only their numbers: four bytes per value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

namespace foreflow::interpret {

template <class Value>
class Values {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type        = Value;
    using difference_type   = std::ptrdiff_t;
    using pointer           = const Value*;
    using reference         = const Value&;

    Iterator(const Values* values, size_t at) : values_(values), at_(at) {}
    reference operator*() const { return (*values_)[at_]; }
    pointer operator->() const { return &(*values_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const Values* values_;
    size_t at_;
  };

  // `distinct` grows during the interpretation, which invalidates references into it.
  explicit Values(std::shared_ptr<const std::vector<Value>> distinct) : distinct_(std::move(distinct)) {}

  size_t size() const { return numbers_.size(); }
  const Value& operator[](size_t value) const { return (*distinct_)[numbers_[value]]; }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

  // The number of a value among the distinct ones; equal numbers mean equal values.
  uint32_t number(size_t value) const { return numbers_[value]; }
  void reserve(size_t count) { numbers_.reserve(count); }
  void push_back(uint32_t number) { numbers_.push_back(number); }

 private:
  std::shared_ptr<const std::vector<Value>> distinct_;
  std::vector<uint32_t> numbers_;
};

}  // namespace foreflow::interpret
