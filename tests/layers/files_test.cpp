// The sizes of files, the lists of definitions, and words that do not belong in finished work.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>

#include "layers/source.h"

namespace foreflow::layers {
namespace {

using Names = std::set<std::string>;

// Per folder: the names in its .def lists, and the names of the definitions in its .cpp files.
struct Folder {
  bool has_list = false;
  Names listed;
  Names defined;
};

std::map<std::string, Folder> definition_folders() {
  static const std::regex kRow(R"(^FOREFLOW_[A-Z_]+\((\w+)[,)].*)");
  static const std::regex kDefinition(R"(^\w[\w:]*Def (\w+)\(\) \{.*)");
  std::map<std::string, Folder> folders;
  for (const SourceFile& file : find_sources({"src"}, {".def", ".cpp"})) {
    const bool is_list       = file.extension() == ".def";
    const bool is_definition = std::any_of(file.lines.begin(), file.lines.end(), [](const Line& line) {
      return line.text.find("definitions {") != std::string::npos;
    });
    if (!is_list && !is_definition) continue;
    Folder& folder = folders[file.folder()];
    folder.has_list |= is_list;
    for (const Line& line : file.lines) {
      std::smatch match;
      if (is_list && std::regex_match(line.text, match, kRow)) {
        EXPECT_TRUE(folder.listed.insert(match[1]).second)
            << file.path << ":" << line.number << ": " << match[1] << " twice";
      } else if (!is_list && std::regex_match(line.text, match, kDefinition)) {
        EXPECT_EQ(file.stem(), match[1]) << file.path << ":" << line.number << ": a definition has its own file";
        folder.defined.insert(match[1]);
      }
    }
  }
  return folders;
}

TEST(DefinitionLists, NameExactlyTheDefinitionsOfTheirFolder) {
  for (const auto& [path, folder] : definition_folders()) {
    EXPECT_TRUE(folder.has_list) << path << " has definitions but no .def list";
    for (const std::string& name : folder.listed) {
      EXPECT_TRUE(folder.defined.contains(name)) << path << ": " << name << " is listed, but " << path << "/" << name
                                                 << ".cpp does not define " << name << "()";
    }
    for (const std::string& name : folder.defined) {
      EXPECT_TRUE(folder.listed.contains(name)) << path << "/" << name << ".cpp is in no .def list of its folder";
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
