#include "foreflow/base/text.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "foreflow/base/error.h"

namespace foreflow {

std::string list_or(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t begin                = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::string_view after_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

namespace {

// The most that is read of something that does not state its size, if the reader allows as much.
ReadLimit limit_of_stream(const std::string& path) {
  std::error_code unknown;
  const bool device = std::filesystem::is_character_file(path, unknown);
  // The device /dev/null ends at once, and terminals end where the user says so; all others go on for ever.
  if (device) return {1'000'000, "is a device without an end; name a file"};
  return {4'000'000'000, "gives more than 4 GB; write it to a file, and name that"};
}

}  // namespace

std::string read_file(const std::string& path, const ReadLimit& limit) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) throw Error(path, "is a folder; a file is needed");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(path, std::string("cannot be read: ") + std::strerror(errno));
  std::string content;
  const auto size = std::filesystem::file_size(path, unknown);  // of what is not a regular file, unknown
  if (!unknown && size > limit.bytes) throw Error(path, limit.problem);
  if (!unknown) content.reserve(size + 1);
  const ReadLimit of_stream = unknown ? limit_of_stream(path) : ReadLimit{};
  const ReadLimit& least    = of_stream.bytes < limit.bytes ? of_stream : limit;
  std::array<char, 65536> buffer;
  while (in.read(buffer.data(), buffer.size()), in.gcount() > 0) {
    content.append(buffer.data(), static_cast<size_t>(in.gcount()));
    if (content.size() > least.bytes) throw Error(path, least.problem);
  }
  if (in.bad()) throw Error(path, std::string("cannot be read: ") + std::strerror(errno));
  return content;
}

}  // namespace foreflow
