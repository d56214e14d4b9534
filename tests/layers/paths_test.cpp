// Paths of the project that documents and comments mention exist: "src/base/text.h", "docs/models.md".
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "foreflow/base/text.h"
#include "layers/source.h"

namespace foreflow::layers::paths_test {
namespace {
namespace fs = std::filesystem;

const std::vector<std::string> kFolders = {"src",       "include",   "tests",       "docs",  "examples", "scenarios",
                                           "workloads", "platforms", "calibration", "bench", "cmake"};

struct Mention {
  std::string path;
  std::string file;
  int line;
};

std::string folders() {
  std::string any;
  for (const std::string& folder : kFolders) any += (any.empty() ? "" : "|") + folder;
  return any;
}

// The paths in `text` that begin with a folder of the project. Left out are patterns ("tests/data/*.csv"), templates
// ("src/ops/FAMILY/NAME.cpp") and sources of other projects, which end in ".cc".
std::vector<std::string> paths_in(const std::string& text) {
  static const std::regex kPath(R"((^|[^\w./~-])(()" + folders() + R"()/[\w./-]*\w)(?![\w*{<%/]|/?\*))");
  static const std::regex kTemplate(R"((^|/)([A-Z]{2,}|name|X)(\.|/|$))");
  std::vector<std::string> paths;
  for (std::sregex_iterator match(text.begin(), text.end(), kPath), end; match != end; ++match) {
    const std::string path = (*match)[2];
    if (!std::regex_search(path, kTemplate) && !path.ends_with(".cc")) paths.push_back(path);
  }
  return paths;
}

// The part of a line that people read: all of a document, the comment of a source.
std::string prose(const SourceFile& file, const std::string& line) {
  if (file.extension() == ".md") return line;
  const size_t comment = line.find("//");
  return comment == std::string::npos ? "" : line.substr(comment);
}

std::vector<SourceFile> readable() {
  std::vector<SourceFile> files = find_sources(kFolders, {".md", ".h", ".cpp", ".def"});
  for (const char* name : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}) {
    SourceFile& file = files.emplace_back();
    file.path        = name;
    for (const std::string& line : split(read_file(std::string(FOREFLOW_SOURCE_DIR) + "/" + name), '\n')) {
      file.lines.push_back({static_cast<int>(file.lines.size()) + 1, line});
    }
  }
  return files;
}

// From the root, from the folder of the file, or with an ending that the text leaves out.
bool exists(const Mention& mention) {
  const fs::path root = FOREFLOW_SOURCE_DIR;
  for (const fs::path& folder : {root, root / fs::path(mention.file).parent_path()}) {
    for (const char* ending : {"", ".h", ".cpp"}) {
      if (fs::exists(folder / (mention.path + ending))) return true;
    }
  }
  return false;
}

TEST(Paths, AreFoundInText) {
  EXPECT_EQ(paths_in("See `src/base/text.h`, docs/models.md."),
            (std::vector<std::string>{"src/base/text.h", "docs/models.md"}));
  EXPECT_TRUE(
      paths_in("tests/data/*.csv, src/ops/FAMILY/NAME.cpp, other/src/base.h, NCCL's src/graph/tuning.cc").empty());
}

TEST(Paths, ThatTextMentionsExist) {
  int mentions = 0;
  for (const SourceFile& file : readable()) {
    if (file.path == "tests/layers/paths_test.cpp" || file.path == "tests/layers/layers_test.cpp") continue;
    // Examples of output may name files that the reader is about to write.
    if (file.path.starts_with("docs/reference/")) continue;
    for (const Line& line : file.lines) {
      for (const std::string& path : paths_in(prose(file, line.text))) {
        EXPECT_TRUE(exists({path, file.path, line.number}))
            << file.path << ":" << line.number << ": " << path << " does not exist";
        ++mentions;
      }
    }
  }
  EXPECT_GE(mentions, 100);
}

}  // namespace
}  // namespace foreflow::layers::paths_test
