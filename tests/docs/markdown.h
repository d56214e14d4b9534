// Documents (*.md) as their tests see them.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace foreflow::docs {

// A fenced block of code: "```LANGUAGE NAME", its lines, "```".
struct Block {
  std::string language;  // "console", "json"; empty: none
  std::string name;      // the word after the language; empty: none
  std::string text;
  int line;  // of the opening fence, from 1
};

struct Link {
  std::string target;  // "design/ir.md#decisions"
  int line;
};

struct Document {
  std::filesystem::path path;  // from the source folder
  std::vector<Block> blocks;
  std::vector<Link> links;        // those to files of the project; not inside code
  std::set<std::string> anchors;  // of its headings, as GitHub makes them: "Cost models" -> "cost-models"
};

Document read_document(const std::filesystem::path& path);

// Every *.md of the source tree outside build folders and hidden ones, sorted by path.
std::vector<Document> find_documents();

}  // namespace foreflow::docs
