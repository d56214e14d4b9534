// Which module may include which, and the fences around outside libraries.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "foreflow/base/text.h"
#include "layers/source.h"
#include "layers/table.h"

namespace foreflow::layers {
namespace {

const Module* find_module(std::string_view name) {
  const auto found =
      std::find_if(kModules.begin(), kModules.end(), [&](const Module& row) { return row.name == name; });
  return found == kModules.end() ? nullptr : &*found;
}

// Without `base` and the module itself.
std::set<std::string> allowed(const Module& row) {
  if (row.may_include != kAllBelow) return words(row.may_include);
  std::set<std::string> below;
  for (const Module& other : kModules) {
    if (other.floor < row.floor && other.name != "base") below.emplace(other.name);
  }
  return below;
}

std::string list(const std::set<std::string>& names) {
  std::string text = "base";
  for (const std::string& name : names) text += ", " + name;
  return text;
}

std::vector<SourceFile> module_sources() { return find_sources({"include", "src"}, {".h", ".cpp", ".def"}); }

// "include/foreflow/base/text.h" and "src/base/text.cpp" -> "base".
std::string module_of(const SourceFile& file) {
  const std::vector<std::string> parts = split(file.path, '/');
  const size_t at                      = parts.front() == "include" ? 2 : 1;
  return at + 1 < parts.size() ? parts[at] : "";
}

// "ops/attention/rotary.h" and "src/ops/attention/gather.cpp" -> the row "ops/attention"; null: directly in a module.
const Folder* find_folder(std::string_view path) {
  if (path.starts_with("src/")) path.remove_prefix(4);
  const std::string_view folder = path.substr(0, path.rfind('/'));
  const auto found =
      std::find_if(kFolders.begin(), kFolders.end(), [&](const Folder& row) { return row.name == folder; });
  return found == kFolders.end() ? nullptr : &*found;
}

std::string module_of(const Folder& folder) { return split(folder.name, '/').front(); }

// Whether a file of one folder of a module may include a header of another; objection_to_own looks at modules.
std::string objection_to_folder(const SourceFile& from, const std::string& header) {
  const Folder *own = find_folder(from.path), *other = find_folder(header);
  if (own == nullptr || other == nullptr || own == other) return "";
  const std::string name(other->name.substr(other->name.find('/') + 1));
  if (words(own->may_include).contains(name)) return "";
  return "is of " + std::string(other->name) + ", which " + std::string(own->name) + " may not include";
}

// Empty when the file may include it.
std::string objection_to_own(const Module& row, const SourceFile& from, const std::string& header,
                             const std::vector<SourceFile>& files) {
  const std::vector<std::string> parts = split(header, '/');
  const bool is_public                 = parts.size() > 2 && parts[0] == "foreflow";
  const std::string path               = (is_public ? "include/" : "src/") + header;
  if (std::none_of(files.begin(), files.end(), [&](const SourceFile& file) { return file.path == path; })) {
    return "is not a header of the project; write \"foreflow/MODULE/NAME.h\" or \"MODULE/NAME.h\"";
  }
  const std::string target = is_public ? parts[1] : parts[0];
  if (target == row.name) return is_public ? "" : objection_to_folder(from, header);
  if (!is_public) return "is a private header of the module " + target + "; use what is in include/foreflow/" + target;
  if (target == "base" || allowed(row).contains(target)) return "";
  return "is of the module " + target + ", but " + std::string(row.name) + " may include only " + list(allowed(row));
}

// Empty when the file may include it.
std::string objection_to_outside(const Module& row, const std::string& header, const SourceFile& file) {
  static const std::set<std::string> kSystem = {"sys"};
  const auto fence =
      std::find_if(kFences.begin(), kFences.end(), [&](const Fence& f) { return header.starts_with(f.prefix); });
  if (fence == kFences.end()) {
    const size_t slash = header.find('/');
    if (slash == std::string::npos || kSystem.contains(header.substr(0, slash))) return "";
    return "is of an outside library without a fence; give it a row in tests/layers/table.h";
  }
  if (file.path.starts_with("include/")) return "is of an outside library, which no public header may include";
  if (fence->modules == kEverywhere || words(fence->modules).contains(std::string(row.name))) return "";
  return "is of an outside library that only these modules may include: " + std::string(fence->modules);
}

TEST(Layers, EveryIncludeIsAllowedByTheTable) {
  const std::vector<SourceFile> files = module_sources();
  for (const SourceFile& file : files) {
    const Module* row = find_module(module_of(file));
    if (row == nullptr) continue;  // the next test complains
    for (const Line& line : file.lines) {
      const auto include = parse_include(line.text);
      if (!include) continue;
      const bool own = include->quoted && !include->name.ends_with(".pb.h");  // those are generated
      const std::string objection =
          own ? objection_to_own(*row, file, include->name, files) : objection_to_outside(*row, include->name, file);
      EXPECT_TRUE(objection.empty()) << file.path << ":" << line.number << ": " << include->name << " " << objection;
    }
  }
}

TEST(Layers, EveryFileBelongsToAModuleOfTheTable) {
  for (const SourceFile& file : module_sources()) {
    EXPECT_NE(find_module(module_of(file)), nullptr)
        << file.path << ": the module \"" << module_of(file) << "\" has no row in tests/layers/table.h";
  }
}

TEST(Layers, ModulesIncludeOnlyLowerFloors) {
  for (const Module& row : kModules) {
    for (const std::string& name : allowed(row)) {
      const Module* other = find_module(name);
      ASSERT_NE(other, nullptr) << row.name << " may include " << name << ", which is no module";
      EXPECT_LT(other->floor, row.floor) << row.name << " may include " << name;
    }
  }
}

TEST(Layers, FoldersIncludeOnlyLowerFloorsOfTheirModule) {
  for (const Folder& row : kFolders) {
    EXPECT_NE(find_module(module_of(row)), nullptr) << row.name;
    for (const std::string& name : words(row.may_include)) {
      const std::string path = module_of(row) + "/" + name;
      const auto other =
          std::find_if(kFolders.begin(), kFolders.end(), [&](const Folder& folder) { return folder.name == path; });
      ASSERT_NE(other, kFolders.end()) << row.name << " may include " << path << ", which is no folder of the table";
      EXPECT_LT(other->floor, row.floor) << row.name << " may include " << path;
    }
  }
}

TEST(Layers, EveryFolderOfOpsSimulateAndTransformIsInTheTable) {
  const std::set<std::string> divided = {"ops", "simulate", "transform"};
  for (const SourceFile& file : module_sources()) {
    const std::vector<std::string> parts = split(file.path, '/');
    if (parts.size() < 4 || !divided.contains(parts[1]) || parts[0] != "src") continue;
    EXPECT_NE(find_folder(file.path), nullptr) << file.path << ": its folder has no row in tests/layers/table.h";
  }
}

TEST(Layers, FencesNameModulesOfTheTable) {
  for (const Fence& fence : kFences) {
    if (fence.modules == kEverywhere) continue;
    for (const std::string& name : words(fence.modules))
      EXPECT_NE(find_module(name), nullptr) << fence.prefix << ": " << name;
  }
}

// The rows "| floor | `module` | its one job | may include |" of src/README.md.
TEST(Layers, TheMapShowsTheSameTable) {
  std::map<std::string, std::string> shown;
  for (const std::string& line : split(read_file(FOREFLOW_SOURCE_DIR "/src/README.md"), '\n')) {
    const std::vector<std::string> cells = split(line, '|');
    if (cells.size() != 6 || !trim(cells[2]).starts_with("`")) continue;
    std::string name(trim(cells[2]));
    std::erase(name, '`');
    std::string includes = " " + std::string(trim(cells[4])) + " ";
    std::replace(includes.begin(), includes.end(), ',', ' ');
    shown[name] = std::string(trim(cells[1])) + ":" + includes;
  }
  ASSERT_EQ(shown.size(), kModules.size());
  for (const Module& row : kModules) {
    const std::string& cells = shown[std::string(row.name)];
    const size_t colon       = cells.find(':');
    EXPECT_EQ(cells.substr(0, colon), std::to_string(row.floor)) << row.name;
    std::set<std::string> includes = words(cells.substr(colon + 1));
    includes.erase("base");
    includes.erase("-");
    EXPECT_EQ(includes, words(row.may_include)) << row.name;
  }
}

}  // namespace
}  // namespace foreflow::layers
