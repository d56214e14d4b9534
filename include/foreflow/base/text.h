// Small helpers for text that people read and write.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace foreflow {

// The candidate that `name` likely stands for (rules: src/base/nearest.cpp), the first of equals; "" if there is none.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

// "a, b or c".
std::string list_or(const std::vector<std::string>& words);

std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);

// The text after the UTF-8 byte-order mark with which some editors and spreadsheets begin a file; otherwise all of it.
std::string_view after_byte_order_mark(std::string_view text);

// The whole of `text` as a number of type T, in C notation without a leading '+' or spaces. Nothing when it is not a
// number, when text follows the number, or when T cannot represent it. Floating-point types also read "inf" and "nan".
template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The whole file as bytes. Throws Error naming the file when it cannot be read.
std::string read_file(const std::string& path);

// Writes a file atomically: to a temporary file beside `path`, which is then renamed. An existing file keeps its
// permissions, and keeps its content when writing fails. Devices and pipes are written directly; "-" is stdout. Throws
// Error naming the file.
void write_file(const std::string& path, std::string_view content);

// Throws the Error of write_file if the folder of `path` is not there, or `path` is a folder itself: before the work
// whose result goes there.
void check_folder_of(const std::string& path);

}  // namespace foreflow
