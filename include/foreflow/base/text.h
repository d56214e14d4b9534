// Small helpers for text that people read and write.
#pragma once

#include <charconv>
#include <cstdint>
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

// "a, b, c": the words, in their order, with the separator between every two.
template <class Words>
std::string join(const Words& words, std::string_view separator = ", ") {
  std::string text;
  bool first = true;
  for (const auto& word : words) {
    if (!first) text += separator;
    text += word;
    first = false;
  }
  return text;
}

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

// The most that a reader takes: more than any honest file has, so that a wrong one is refused before memory ends.
struct ReadLimit {
  uintmax_t bytes = UINTMAX_MAX;
  std::string problem;  // of a file that has more: "has more than 256 MB; no scenario is that large"
};

// The whole file as bytes, of a pipe or a terminal what it gives until its end. Throws Error naming the file when
//   1. it cannot be read;
//   2. it has more bytes than `limit` allows, for the reason that `limit` states;
//   3. it is a device without an end (/dev/zero), or a pipe that gives more than 4 GB.
std::string read_file(const std::string& path, const ReadLimit& limit = {});

// Writes a file atomically: to a temporary file beside `path`, which is then renamed. An existing file keeps its
// permissions, and keeps its content when writing fails. Devices and pipes are written directly; "-" is stdout. Throws
// Error naming the file.
void write_file(const std::string& path, std::string_view content);

// Throws the Error of write_file if the folder of `path` is not there, or `path` is a folder itself: before the work
// whose result goes there.
void check_folder_of(const std::string& path);

}  // namespace foreflow
