// What cannot be written is an error, wherever it was to go; and no file is ever half there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "foreflow/base/text.h"
#include "support/command.h"
#include "support/temporary.h"

namespace foreflow {
namespace {
namespace fs = std::filesystem;

using test::CommandResult;
using testing::HasSubstr;

constexpr const char* kNoSpace = "foreflow: error: stdout: cannot be written: No space left on device\n";

CommandResult with_full_stdout(const std::vector<std::string>& arguments) {
  return test::run_foreflow_under({.out = "/dev/full"}, arguments);
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  return names;
}

TEST(FullStdout, IsAnErrorOfEveryKindOfOutput) {
  const std::vector<std::vector<std::string>> commands = {
      {"list", "ops"},
      {"--help"},
      {"--version"},
      {"schedule", "1f1b", "--stages", "2", "--microbatches", "4"},
      {"schedule", "1f1b", "--stages", "2", "--microbatches", "4", "--json", "-"},
      {"workload", "mlp", "-o", "-"}};
  for (const auto& words : commands) {
    const CommandResult result = with_full_stdout(words);
    EXPECT_EQ(result.exit_code, 1) << words.front();
    EXPECT_EQ(result.err, kNoSpace) << words.front();
  }
}

TEST(FullDisk, LeavesTheOldFileAndNothingBesideIt) {
  const test::TemporaryFolder folder;
  write_file(folder / "mlp.distir", "the old one");
  const CommandResult result = test::run_foreflow_under(
      {.file_size = 1024}, {"workload", "gpt", "--layers", "2", "-o", "mlp.distir"}, folder.path());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err, "foreflow: error: mlp.distir: cannot be written: File too large\n");
  EXPECT_EQ(read_file(folder / "mlp.distir"), "the old one");
  EXPECT_THAT(names_in(folder.path()), testing::ElementsAre("mlp.distir"));
}

TEST(Lower, LeavesNoFolderBehindWhenItFails) {
  const test::TemporaryFolder folder;
  write_file(folder / "unknown.json", R"({ "workload": { "model": "mlp" }, "strategies": {} })");
  write_file(folder / "broken.distir", "module {");
  for (const std::string file : {"unknown.json", "broken.distir"}) {
    const CommandResult result = test::run_foreflow({"lower", file, "-o", "ranks"}, folder.path());
    EXPECT_EQ(result.exit_code, 1) << file;
    EXPECT_THAT(result.err, HasSubstr(file));
    EXPECT_FALSE(fs::exists(folder / "ranks")) << file;
  }
}

TEST(FullDisk, IsAnErrorOfOptionsThatWriteFiles) {
  const std::vector<std::vector<std::string>> commands = {
      {"schedule", "1f1b", "--stages", "2", "--microbatches", "4", "--json", "/dev/full"},
      {"platform", "dgx1", "-o", "/dev/full"},
      {"workload", "mlp", "-o", "/dev/full"}};
  for (const auto& words : commands) {
    const CommandResult result = test::run_foreflow(words);
    EXPECT_EQ(result.exit_code, 1) << words.front();
    EXPECT_EQ(result.err, "foreflow: error: /dev/full: cannot be written: No space left on device\n") << words.front();
  }
}

TEST(WriteFile, KeepsPermissionsAndLinks) {
  const test::TemporaryFolder folder;
  write_file(folder / "private", "old");
  fs::permissions(folder / "private", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("private", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "private"), "new");
  EXPECT_EQ(fs::status(folder / "private").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_THAT(names_in(folder.path()), testing::UnorderedElementsAre("private", "link"));
}

}  // namespace
}  // namespace foreflow
