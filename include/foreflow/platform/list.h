// The devices or the links of a platform: a list of items, or a rule that makes each item on demand.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "foreflow/base/nth.h"

namespace foreflow::platform {

// The rule of a machine that is built from a recipe. Pure functions of the index.
template <class T>
struct ListRule {
  size_t size = 0;
  std::function<T(size_t)> make;
  std::function<int(size_t)> kind;  // an index into `kinds`
  std::vector<T> kinds;             // one example of each, without a name
};

// Items are of one kind if they differ only in name and position: devices in name, node and rail, links in name. The
// address of an item stays valid as long as a copy of the list exists. Copies are cheap. Thread-safe.
template <class T>
class List {
 public:
  using value_type = T;
  class Iterator;

  List(std::vector<T> items = {});
  List(std::initializer_list<T> items) : List(std::vector<T>(items)) {}
  List(ListRule<T> rule);

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](size_t index) const { return items_ != nullptr ? items_[index] : made(index); }
  // A copy of the item, for callers that look at one of many once: [] keeps what it makes.
  T copy(size_t index) const;
  const T& front() const { return (*this)[0]; }
  const T& back() const { return (*this)[size_ - 1]; }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, static_cast<std::ptrdiff_t>(size_)}; }
  operator std::vector<T>() const { return {begin(), end()}; }

  // An item of the same kind, for callers to which name and position do not matter. Makes no item: in a written-out
  // list it is the item itself.
  const T& like(size_t index) const { return items_ != nullptr ? items_[index] : nth(kinds(), kind(index)); }
  // The kind of the item, as an index into kinds(). Makes no item.
  int kind(size_t index) const;
  // One item of each kind, without a name if the list is a rule.
  const std::vector<T>& kinds() const;

 private:
  struct State;
  const T& made(size_t index) const;

  std::shared_ptr<State> state_;
  const T* items_ = nullptr;  // null: made by rule
  size_t size_    = 0;
};

template <class T>
class List<T>::Iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type        = T;
  using difference_type   = std::ptrdiff_t;
  using pointer           = const T*;
  using reference         = const T&;

  Iterator() = default;
  Iterator(const List* list, difference_type at) : list_(list), at_(at) {}
  reference operator*() const { return nth(*list_, at_); }
  pointer operator->() const { return &**this; }
  reference operator[](difference_type steps) const { return *(*this + steps); }
  Iterator& operator+=(difference_type steps) { return at_ += steps, *this; }
  Iterator& operator-=(difference_type steps) { return at_ -= steps, *this; }
  Iterator& operator++() { return *this += 1; }
  Iterator& operator--() { return *this -= 1; }
  Iterator operator++(int) { return std::exchange(*this, *this + 1); }
  Iterator operator--(int) { return std::exchange(*this, *this - 1); }
  friend Iterator operator+(Iterator from, difference_type steps) { return from += steps; }
  friend Iterator operator+(difference_type steps, Iterator from) { return from += steps; }
  friend Iterator operator-(Iterator from, difference_type steps) { return from -= steps; }
  friend difference_type operator-(const Iterator& a, const Iterator& b) { return a.at_ - b.at_; }
  friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }
  friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.at_ <=> b.at_; }

 private:
  const List* list_   = nullptr;
  difference_type at_ = 0;
};

}  // namespace foreflow::platform
