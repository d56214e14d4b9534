#include "docs/markdown.h"

#include <algorithm>
#include <cctype>
#include <regex>

#include "foreflow/base/text.h"

namespace foreflow::docs {
namespace {
namespace fs = std::filesystem;

// Lower case; letters, digits, '-' and '_' stay, spaces become '-', everything else goes.
std::string anchor(std::string_view heading) {
  std::string text;
  for (const char c : trim(heading)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_') {
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (c == ' ') {
      text += '-';
    }
  }
  return text;
}

void add_heading(Document& document, const std::string& line) {
  const size_t level = line.find_first_not_of('#');
  if (level == 0 || level == std::string::npos || line[level] != ' ') return;
  const std::string name = anchor(std::string_view(line).substr(level));
  std::string free       = name;
  for (int i = 1; document.anchors.contains(free); ++i) free = name + "-" + std::to_string(i);
  document.anchors.insert(free);
}

void add_links(Document& document, const std::string& line, int number) {
  static const std::regex kCode("`[^`]*`"), kLink(R"(\]\(([^)\s]+)\))");
  const std::string text = std::regex_replace(line, kCode, "");
  for (std::sregex_iterator at(text.begin(), text.end(), kLink), end; at != end; ++at) {
    const std::string target = (*at)[1];
    if (target.find("://") == std::string::npos && !target.starts_with("mailto:"))
      document.links.push_back({target, number});
  }
}

Block open_block(const std::string& line, int number) {
  const std::string words(trim(std::string_view(line).substr(3)));
  const size_t space = words.find(' ');
  return {words.substr(0, space), space == std::string::npos ? "" : words.substr(space + 1), "", number};
}

bool is_source(const fs::path& path) {
  const std::string first = path.begin()->string();
  return path.extension() == ".md" && first != "build" && !first.starts_with(".");
}

}  // namespace

Document read_document(const fs::path& path) {
  Document document{path, {}, {}, {}};
  bool inside = false;
  int number  = 0;
  for (const std::string& line : split(read_file((FOREFLOW_SOURCE_DIR / path).string()), '\n')) {
    ++number;
    if (line.starts_with("```")) {
      if (!inside) document.blocks.push_back(open_block(line, number));
      inside = !inside;
    } else if (inside) {
      document.blocks.back().text += line + "\n";
    } else {
      add_heading(document, line);
      add_links(document, line, number);
    }
  }
  return document;
}

std::vector<Document> find_documents() {
  std::vector<fs::path> paths;
  const fs::path root = FOREFLOW_SOURCE_DIR;
  for (auto at = fs::recursive_directory_iterator(root); at != fs::recursive_directory_iterator(); ++at) {
    const fs::path path = at->path().lexically_relative(root);
    if (at->is_directory() && (path == "build" || path.filename().string().starts_with(".")))
      at.disable_recursion_pending();
    if (at->is_regular_file() && is_source(path)) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Document> documents;
  for (const fs::path& path : paths) documents.push_back(read_document(path));
  return documents;
}

}  // namespace foreflow::docs
