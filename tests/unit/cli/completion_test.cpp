// What shells complete: bash runs its script here; zsh and fish read theirs where they are installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "foreflow/base/text.h"
#include "support/command.h"
#include "support/temporary.h"

namespace foreflow::completion_test {
namespace {

using test::run_foreflow;
using test::TemporaryFolder;
using testing::Contains;
using testing::Each;
using testing::IsEmpty;
using testing::StartsWith;

std::string script(const std::string& shell) {
  const test::CommandResult result = run_foreflow({"completion", shell});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return text;
}

// What bash offers after these words, the last of which is not finished.
std::vector<std::string> offered(const std::string& words) {
  const TemporaryFolder folder;
  write_file(folder / "foreflow.bash", script("bash"));
  write_file(folder / "ask.bash", "source " + (folder / "foreflow.bash") + "\nCOMP_WORDS=(" + words +
                                      ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_foreflow\n"
                                      "for word in \"${COMPREPLY[@]}\"; do echo \"$word\"; done\n");
  std::vector<std::string> all = split(output_of("bash --norc " + (folder / "ask.bash")), '\n');
  all.pop_back();
  return all;
}

TEST(Completion, OfBashOffersCommands) {
  EXPECT_THAT(offered("foreflow sim"), testing::ElementsAre("simulate"));
  EXPECT_THAT(offered("foreflow ''"), Contains("completion"));
}

TEST(Completion, OfBashOffersOptionsOfTheCommand) {
  EXPECT_THAT(offered("foreflow simulate --en"), testing::ElementsAre("--engine"));
  EXPECT_THAT(offered("foreflow schedule --"), Each(StartsWith("--")));
}

TEST(Completion, OfBashOffersNamesFromTables) {
  EXPECT_THAT(offered("foreflow list ke"), testing::ElementsAre("keys"));
  EXPECT_THAT(offered("foreflow schedule 1f"), Contains("1f1b"));
  EXPECT_THAT(offered("foreflow simulate s.json --engine ana"), testing::ElementsAre("analytic"));
  EXPECT_THAT(offered("foreflow search s.json --method an"), testing::ElementsAre("annealing"));
  EXPECT_THAT(offered("foreflow simulate s.json --set strategy.overlap_s"),
              testing::ElementsAre("strategy.overlap_sends="));
  EXPECT_THAT(offered("foreflow workload llama3-7"), testing::ElementsAre("llama3-70b"));
}

TEST(Completion, OfBashLeavesFilesToBash) {
  EXPECT_THAT(offered("foreflow simulate scen"), IsEmpty());
  EXPECT_THAT(offered("foreflow simulate s.json --json a"), IsEmpty());
}

bool is_installed(const std::string& shell) {
  return std::system(("command -v " + shell + " >/dev/null").c_str()) == 0;
}

class ShellScripts : public testing::TestWithParam<std::string> {};

TEST_P(ShellScripts, Parse) {
  const TemporaryFolder folder;
  write_file(folder / "script", script(GetParam()));
  if (!is_installed(GetParam())) GTEST_SKIP() << GetParam() << " is not installed";
  EXPECT_EQ(output_of(GetParam() + " -n " + (folder / "script") + " 2>&1"), "");
}

TEST_P(ShellScripts, NameEveryCommand) {
  const std::string text = script(GetParam());
  for (const std::string& line : split(run_foreflow({"list", "commands"}).out, '\n'))
    EXPECT_THAT(text, testing::HasSubstr(line.substr(0, line.find(' '))));
}

INSTANTIATE_TEST_SUITE_P(Every, ShellScripts, testing::Values("bash", "zsh", "fish"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace foreflow::completion_test
