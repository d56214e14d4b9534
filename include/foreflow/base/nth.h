// Entries of tables by numbers of any integer type.
//
// Devices, streams, stages and events are numbered with signed integers, tables of the standard library with size_t.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace foreflow {

// A number of an entry of a table: an integer, or a strong id (an enumeration).
template <typename T>
concept Index = std::integral<std::remove_cvref_t<T>> || std::is_enum_v<std::remove_cvref_t<T>>;

// Returns entry `index`, counted from 0, of a table that has operator[], as that operator does: nth(durations, event)
// is durations[static_cast<size_t>(event)]. The index is not checked; a negative one is an error of the caller.
template <typename Table, Index I>
constexpr decltype(auto) nth(Table&& table, I index) {
  return std::forward<Table>(table)[static_cast<std::size_t>(index)];
}

}  // namespace foreflow
