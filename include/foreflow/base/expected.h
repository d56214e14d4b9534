// A value, or the refusal that stands in its place (as C++23's std::expected).
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

  // Only where there is a value.
  const T& operator*() const& { return std::get<0>(content_); }
  T& operator*() & { return std::get<0>(content_); }
  T operator*() && { return std::get<0>(std::move(content_)); }
  const T* operator->() const { return &std::get<0>(content_); }
  T* operator->() { return &std::get<0>(content_); }

  // Only where there is none.
  const Refusal& refusal() const { return std::get<1>(content_); }

  // The value; throws RefusalError where there is none.
  T value() && {
    if (!*this) throw RefusalError(refusal());
    return std::get<0>(std::move(content_));
  }

 private:
  std::variant<T, Refusal> content_;
};

// What `work` returns, or the refusal that it throws from its depth.
template <typename Work>
auto attempt(const Work& work) -> Expected<std::invoke_result_t<Work>> {
  try {
    return work();
  } catch (const RefusalError& error) {
    return error.refusal();
  }
}

}  // namespace foreflow
