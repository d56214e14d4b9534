// The devices or the links of a platform: written out, or held by a rule that makes an item when it is asked for.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace foreflow::platform {

// How a machine that is built from a recipe answers about its devices or its links. Pure functions of the index.
template <class T>
struct ListRule {
  size_t size = 0;
  std::function<T(size_t)> make;
  std::function<int(size_t)> kind;  // an index into `kinds`
  std::vector<T> kinds;             // one example of each, without a name
};

// Items that differ in nothing but their names and their places are of one kind: devices apart from name, node and
// rail, links apart from their names. An item keeps its address as long as a copy of the list lives. Copies are cheap.
// For several threads at once.
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
  const T& front() const { return (*this)[0]; }
  const T& back() const { return (*this)[size_ - 1]; }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, static_cast<std::ptrdiff_t>(size_)}; }
  operator std::vector<T>() const { return {begin(), end()}; }

  // An item of the same kind, where name and place do not matter: the item itself of a list that is written out. Makes
  // no item.
  const T& like(size_t index) const {
    return items_ != nullptr ? items_[index] : kinds()[static_cast<size_t>(kind(index))];
  }
  // Which kind the item is of: an index into kinds(). Makes no item.
  int kind(size_t index) const;
  // One item of each kind. Of a rule they have no names.
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
  reference operator*() const { return (*list_)[static_cast<size_t>(at_)]; }
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
