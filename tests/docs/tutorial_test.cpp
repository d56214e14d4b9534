// The commands of a document print what it says. In a block "```console" a line "$ foreflow WORDS" is a command, and
// the lines up to the next one are its output, in which "..." stands for any lines. A block with a name ("```json
// NAME") is a file that the reader writes. Commands of one document run one after the other in one folder, beside the
// folders that ship.
#include <gtest/gtest.h>

#include <filesystem>

#include "docs/markdown.h"
#include "foreflow/base/text.h"
#include "golden/golden_file.h"
#include "support/command.h"
#include "support/temporary.h"

namespace foreflow::docs {
namespace {
namespace fs = std::filesystem;

struct Command {
  std::string words;  // without "foreflow"
  std::string output;
  int line;
};

constexpr std::string_view kPrompt = "$ foreflow ";

std::vector<Command> commands(const Block& block, const std::string& document) {
  std::vector<Command> found;
  int number = block.line;
  for (const std::string& line : split(block.text, '\n')) {
    ++number;
    if (line.starts_with(kPrompt)) {
      found.push_back({line.substr(kPrompt.size()), "", number});
    } else if (line.starts_with("$ ") || (found.empty() && !line.empty())) {
      ADD_FAILURE() << document << ":" << number
                    << ": a console block holds commands \"$ foreflow ...\" and their output";
    } else if (!found.empty()) {
      found.back().output += line + "\n";
    }
  }
  if (!found.empty()) found.back().output.pop_back();  // of the text behind the last newline
  return found;
}

// Whether `lines` from `at` are `expected` from `from`, where "..." stands for any lines.
bool matches(const std::vector<std::string>& expected, size_t from, const std::vector<std::string>& lines, size_t at) {
  if (from == expected.size()) return at == lines.size();
  if (expected[from] == "...") {
    for (size_t next = at; next <= lines.size(); ++next) {
      if (matches(expected, from + 1, lines, next)) return true;
    }
    return false;
  }
  return at < lines.size() && expected[from] == lines[at] && matches(expected, from + 1, lines, at + 1);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines = split(text, '\n');
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

void run(const Command& command, const std::string& document, const fs::path& folder) {
  const std::string where        = document + ":" + std::to_string(command.line);
  const test::CommandResult done = test::run_foreflow(golden::split_words(command.words, where), folder);
  const std::string printed      = done.exit_code == 0 ? done.out : done.out + done.err;
  EXPECT_TRUE(matches(lines_of(command.output), 0, lines_of(printed), 0))
      << where << ": foreflow " << command.words << " prints\n"
      << printed << "(exit code " << done.exit_code << ") " << done.err;
}

class Walkthrough : public testing::TestWithParam<const char*> {};

TEST_P(Walkthrough, PrintsWhatItSays) {
  const Document document = read_document(GetParam());
  const test::TemporaryFolder folder;
  for (const char* shipped : {"scenarios", "platforms", "workloads", "calibration", "tests"})
    fs::create_directory_symlink(fs::path(FOREFLOW_SOURCE_DIR) / shipped, folder.path() / shipped);
  int count = 0;
  for (const Block& block : document.blocks) {
    if (!block.name.empty()) write_file(folder / block.name, block.text);
    if (block.language != "console") continue;
    for (const Command& command : commands(block, GetParam())) {
      run(command, GetParam(), folder.path());
      ++count;
    }
  }
  EXPECT_GE(count, 2);
}

INSTANTIATE_TEST_SUITE_P(Documents, Walkthrough,
                         testing::Values("README.md", "docs/tutorial.md", "docs/models.md", "docs/studies.md"),
                         [](const auto& row) {
                           std::string name;
                           for (const char c : std::string(row.param)) {
                             if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
                           }
                           return name;
                         });

}  // namespace
}  // namespace foreflow::docs
