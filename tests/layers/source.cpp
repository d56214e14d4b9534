#include "layers/source.h"

#include <algorithm>
#include <regex>
#include <sstream>

#include "foreflow/base/text.h"

namespace foreflow::layers {
namespace fs = std::filesystem;

std::vector<SourceFile> find_sources(const std::vector<std::string>& folders, const std::set<std::string>& extensions) {
  const fs::path root = FOREFLOW_SOURCE_DIR;
  std::vector<SourceFile> files;
  for (const std::string& folder : folders) {
    if (!fs::exists(root / folder)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file() || !extensions.contains(entry.path().extension().string())) continue;
      SourceFile& file = files.emplace_back();
      file.path        = entry.path().lexically_relative(root).generic_string();
      std::istringstream content(read_file(entry.path()));
      for (std::string line; std::getline(content, line);) {
        file.lines.push_back({static_cast<int>(file.lines.size()) + 1, line});
      }
    }
  }
  std::sort(files.begin(), files.end(), [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::optional<Include> parse_include(const std::string& line) {
  static const std::regex kInclude(R"re(^\s*#\s*include\s*(["<])([^">]+)[">].*)re");
  std::smatch match;
  if (!std::regex_match(line, match, kInclude)) return std::nullopt;
  return Include{match[1] == "\"", match[2]};
}

std::set<std::string> words(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::set<std::string> all;
  for (std::string word; stream >> word;) all.insert(word);
  return all;
}

}  // namespace foreflow::layers
