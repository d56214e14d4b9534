// Links between documents lead somewhere, and pages about modules are about modules that there are.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "docs/markdown.h"
#include "foreflow/base/text.h"

namespace foreflow::docs {
namespace {
namespace fs = std::filesystem;

const fs::path kRoot = FOREFLOW_SOURCE_DIR;

// Empty when the link leads to a file (and a heading) of the project.
std::string objection(const Document& from, const std::string& target) {
  const size_t hash      = target.find('#');
  const std::string file = target.substr(0, hash);
  const fs::path path    = file.empty() ? from.path : (from.path.parent_path() / file).lexically_normal();
  if (!fs::exists(kRoot / path)) return path.string() + " does not exist";
  if (hash == std::string::npos) return "";
  const std::string heading = target.substr(hash + 1);
  if (path.extension() != ".md") return "only a document has headings";
  return read_document(path).anchors.contains(heading) ? "" : path.string() + " has no heading #" + heading;
}

TEST(Documents, LinkToFilesAndHeadingsThatExist) {
  int links = 0;
  for (const Document& document : find_documents()) {
    for (const Link& link : document.links) {
      const std::string problem = objection(document, link.target);
      EXPECT_TRUE(problem.empty()) << document.path.string() << ":" << link.line << ": " << problem;
      ++links;
    }
  }
  EXPECT_GE(links, 50);
}

TEST(Documents, DesignPagesAreNamedAfterModules) {
  int pages = 0;
  for (const auto& entry : fs::directory_iterator(kRoot / "docs/design")) {
    const std::string module = entry.path().stem().string();
    if (module == "README") continue;
    EXPECT_TRUE(fs::is_directory(kRoot / "src" / module)) << entry.path().string() << ": there is no module " << module;
    ++pages;
  }
  EXPECT_GE(pages, 10);
}

TEST(Documents, TheIndexNamesEveryPage) {
  const Document index = read_document("docs/README.md");
  std::set<fs::path> linked;
  for (const Link& link : index.links) linked.insert(("docs" / fs::path(link.target)).lexically_normal());
  for (const Document& document : find_documents()) {
    const fs::path folder = document.path.parent_path();
    if ((folder != "docs" && folder != "docs/design") || document.path == "docs/README.md") continue;
    EXPECT_TRUE(linked.contains(document.path)) << "docs/README.md does not link " << document.path.string();
  }
}

TEST(Documents, TheReferenceHasASectionForEveryCommand) {
  const std::string page = read_file((kRoot / "docs/reference/commands.md").string());
  std::istringstream lines(page);
  size_t commands = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    const std::string name = line.substr(3, line.find('`', 3) - 3);
    EXPECT_NE(page.find("\n## " + name + "\n"), std::string::npos) << "docs/reference/commands.md lacks ## " << name;
    ++commands;
  }
  EXPECT_GT(commands, 20U);
}

TEST(Documents, HeadingsHaveTheirAnchors) {
  const Document document = read_document("docs/models.md");
  EXPECT_TRUE(document.anchors.contains("cost-models"));
  EXPECT_TRUE(document.anchors.contains("layouts-and-dimension-factors"));
}

}  // namespace
}  // namespace foreflow::docs
