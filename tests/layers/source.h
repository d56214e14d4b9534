// The project's own files, as the layer tests see them.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace foreflow::layers {

struct Line {
  int number;
  std::string text;
};

struct SourceFile {
  std::string path;  // from the source folder, with slashes: "src/base/text.cpp"
  std::vector<Line> lines;

  std::string folder() const { return std::filesystem::path(path).parent_path().string(); }
  std::string stem() const { return std::filesystem::path(path).stem().string(); }
  std::string extension() const { return std::filesystem::path(path).extension().string(); }
};

struct Include {
  bool quoted;
  std::string name;
};

// Every file below `folders` of the source tree with one of the extensions, sorted by path.
std::vector<SourceFile> find_sources(const std::vector<std::string>& folders, const std::set<std::string>& extensions);

// Nothing when the line is not an #include.
std::optional<Include> parse_include(const std::string& line);

std::set<std::string> words(std::string_view text);

}  // namespace foreflow::layers
