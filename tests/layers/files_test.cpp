// The sizes of files, the lists of definitions, and words that do not belong in finished work.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>

#include "layers/source.h"

namespace foreflow::layers {
namespace {

using Names = std::set<std::string>;

// The names in the .def list of a folder, and the names of the definitions in the .cpp files that it lists: those of
// the same folder and of the folders below it that have no list of their own.
struct List {
  Names listed;
  Names defined;
};

// "namespace foreflow::ops::definitions::gather {" opens the namespace of the row `gather`. Where a row would hide a
// module of its name, the kind of row is part of the name: "definitions::check_command".
std::string row_namespace(const Line& line) {
  static const std::regex kNamespace(
      R"(^namespace (?:[\w:]+::)?definitions::(\w+?)(?:_command|_engine|_form|_key)? \{.*)");
  std::smatch match;
  return std::regex_match(line.text, match, kNamespace) ? match[1].str() : "";
}

std::map<std::string, List> definition_lists() {
  static const std::regex kRow(R"(^FOREFLOW_[A-Z_]+\((\w+)[,)].*)");
  static const std::regex kDefinition(R"(^\w[\w:]*(?:Def|Form) row\(\) \{.*)");
  std::map<std::string, List> lists;
  const std::vector<SourceFile> files = find_sources({"src"}, {".def", ".cpp"});
  for (const SourceFile& file : files) {
    if (file.extension() != ".def") continue;
    List& list = lists[file.folder()];
    for (const Line& line : file.lines) {
      std::smatch match;
      if (!std::regex_match(line.text, match, kRow)) continue;
      EXPECT_TRUE(list.listed.insert(match[1]).second)
          << file.path << ":" << line.number << ": " << match[1] << " twice";
    }
  }
  for (const SourceFile& file : files) {
    if (file.extension() != ".cpp") continue;
    std::string open;
    for (const Line& line : file.lines) {
      if (const std::string name = row_namespace(line); !name.empty()) open = name;
      if (!std::regex_match(line.text, kDefinition)) continue;
      EXPECT_EQ(file.stem(), open) << file.path << ":" << line.number
                                   << ": a definition has its own file and the namespace definitions::" << file.stem();
      std::string folder = file.folder();
      while (!lists.contains(folder) && folder.find('/') != std::string::npos) folder.erase(folder.rfind('/'));
      if (lists.contains(folder)) {
        lists[folder].defined.insert(file.stem());
      } else {
        ADD_FAILURE() << file.path << " has a definition, but neither its folder nor one above it has a .def list";
      }
    }
  }
  return lists;
}

TEST(DefinitionLists, NameExactlyTheDefinitionsOfTheirFolder) {
  for (const auto& [path, list] : definition_lists()) {
    for (const std::string& name : list.listed) {
      EXPECT_TRUE(list.defined.contains(name))
          << path << ": " << name << " is listed, but no file " << name << ".cpp defines its row()";
    }
    for (const std::string& name : list.defined) {
      EXPECT_TRUE(list.listed.contains(name)) << path << ": " << name << ".cpp is in no .def list";
    }
  }
}

TEST(Files, AreShort) {
  std::vector<size_t> sizes;
  for (const SourceFile& file : find_sources({"src", "include", "tests", "bench"}, {".h", ".cpp"})) {
    EXPECT_LE(file.lines.size(), 500u) << file.path;
    if (file.path.starts_with("src/")) sizes.push_back(file.lines.size());
  }
  ASSERT_FALSE(sizes.empty());
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>((sizes.size() - 1) / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  EXPECT_LT(*middle, 100u) << "the median file of src/";
}

TEST(Files, AreFinished) {
  const Names postponed  = {std::string("TO") + "DO", std::string("FIX") + "ME"};
  const Names text_files = {".h", ".cpp", ".def", ".md", ".txt", ".cmake", ".golden"};
  for (const SourceFile& file : find_sources({"src", "include", "tests", "bench", "cmake"}, text_files)) {
    for (const Line& line : file.lines) {
      for (const std::string& word : postponed) {
        EXPECT_EQ(line.text.find(word), std::string::npos) << file.path << ":" << line.number << ": " << line.text;
      }
    }
  }
}

}  // namespace
}  // namespace foreflow::layers
