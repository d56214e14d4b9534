// Either a value or a refusal, as std::expected of C++23.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include "foreflow/base/refusal.h"

namespace foreflow {

template <typename T>
class Expected {
 public:
  Expected(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Expected(Refusal refusal) : content_(std::in_place_index<1>, std::move(refusal)) {}

  explicit operator bool() const { return content_.index() == 0; }

  // Requires: there is a value.
  const T& operator*() const& { return std::get<0>(content_); }
  T& operator*() & { return std::get<0>(content_); }
  T operator*() && { return std::get<0>(std::move(content_)); }
  const T* operator->() const { return &std::get<0>(content_); }
  T* operator->() { return &std::get<0>(content_); }

  // Requires: there is no value.
  const Refusal& refusal() const { return std::get<1>(content_); }

  // The value; throws RefusalError when there is none.
  T value() && {
    if (!*this) throw RefusalError(refusal());
    return std::get<0>(std::move(content_));
  }

 private:
  std::variant<T, Refusal> content_;
};

// The result of `work`, or the refusal of a RefusalError that it throws.
template <typename Work>
auto attempt(const Work& work) -> Expected<std::invoke_result_t<Work>> {
  try {
    return work();
  } catch (const RefusalError& error) {
    return error.refusal();
  }
}

}  // namespace foreflow
