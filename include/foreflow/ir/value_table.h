// The names and types that a program states for the values of a function. Nearly all values of a large program have
// neither and take four bytes each.
#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "foreflow/ir/type.h"

namespace foreflow::ir {

using TypeRef = std::shared_ptr<const Type>;  // null: not annotated

struct Value {
  std::string name;    // without '%'; empty for an unused result, printed as '_'
  TypeRef annotation;  // what the program states about it
};

// Indexed by the number of the value. References are valid until the table is cleared or destroyed.
class ValueTable {
 public:
  template <class Table, class Reference>
  class At {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type        = Value;
    using difference_type   = std::ptrdiff_t;
    using reference         = Reference&;
    using pointer           = Reference*;

    At() = default;
    At(Table* table, size_t at) : table_(table), at_(at) {}
    reference operator*() const { return (*table_)[at_]; }
    pointer operator->() const { return &(*table_)[at_]; }
    At& operator++() {
      ++at_;
      return *this;
    }
    At operator++(int) {
      const At before = *this;
      ++at_;
      return before;
    }
    bool operator==(const At&) const = default;

   private:
    Table* table_ = nullptr;
    size_t at_    = 0;
  };
  using iterator       = At<ValueTable, Value>;
  using const_iterator = At<const ValueTable, const Value>;

  ValueTable() = default;
  ValueTable(const ValueTable& other) : slots_(other.slots_), stated_(copied(other.stated_)) {}
  ValueTable(ValueTable&&) noexcept            = default;
  ValueTable& operator=(ValueTable&&) noexcept = default;
  ValueTable& operator=(const ValueTable& other) { return *this = ValueTable(other); }
  ~ValueTable() = default;

  size_t size() const { return slots_.size(); }
  bool empty() const { return slots_.empty(); }
  const Value& operator[](size_t value) const {
    const uint32_t slot = slots_[value];
    return slot == kPlain ? plain() : *stated_[slot - 1];
  }
  // For writing: the value gets an entry of its own.
  Value& operator[](size_t value);

  void reserve(size_t values) { slots_.reserve(values); }
  void resize(size_t values) { slots_.resize(values, kPlain); }
  void clear();
  void push_back(Value value);
  // An empty name, or null, gives no entry to a value that has none.
  void set_name(size_t value, std::string name);
  void annotate(size_t value, TypeRef annotation);
  // Moves the name and the type of `from` to `to`.
  void move(size_t from, size_t to);

  iterator begin() { return {this, 0}; }
  iterator end() { return {this, size()}; }
  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, size()}; }

 private:
  static constexpr uint32_t kPlain = 0;
  using Stated                     = std::vector<std::unique_ptr<Value>>;

  static const Value& plain();
  static Stated copied(const Stated& stated);

  std::vector<uint32_t> slots_;  // by value: its index in stated_ plus one; kPlain: it has none
  Stated stated_;
};

}  // namespace foreflow::ir
