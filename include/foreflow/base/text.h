// Small helpers for text that people read and write.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace foreflow {

// The candidate with the smallest edit distance to `name`; empty when there are no candidates.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

// "a, b or c".
std::string list_or(const std::vector<std::string>& words);

std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);

// The whole file as bytes. Throws Error naming the file when it cannot be read.
std::string read_file(const std::string& path);

// Writes `content` to a temporary file beside `path` and renames it, so that a reader never sees half of it; an old
// file keeps its permissions, and its content where the new one cannot be written whole. Devices and pipes are written
// directly, "-" writes to stdout. Throws Error naming the file.
void write_file(const std::string& path, std::string_view content);

}  // namespace foreflow
