// Parts of documents that a command writes: between "<!-- foreflow WORDS -->" and "<!-- end -->" stands what
// `foreflow WORDS` prints, as it is or as a block of code. docs/reference/update writes them again.
#include <gtest/gtest.h>

#include <filesystem>

#include "foreflow/base/text.h"
#include "support/command.h"

namespace foreflow::generated_text_test {
namespace {

constexpr std::string_view kBegin = "<!-- foreflow ", kEndOfLine = " -->\n", kEnd = "<!-- end -->";

// The content of a block of code; any other text as it is.
std::string without_fence(const std::string& text) {
  constexpr std::string_view kOpen = "```text\n", kClose = "```\n";
  if (!text.starts_with(kOpen) || !text.ends_with(kClose)) return text;
  return text.substr(kOpen.size(), text.size() - kOpen.size() - kClose.size());
}

// How many generated parts `file` has.
int check(const std::string& file) {
  const std::string text = read_file(file);
  int parts              = 0;
  for (size_t at = text.find(kBegin); at != std::string::npos; at = text.find(kBegin, at + 1)) {
    const size_t words = at + kBegin.size(), line = text.find(kEndOfLine, words), begin = line + kEndOfLine.size();
    const size_t end = text.find(kEnd, begin);
    if (line == std::string::npos || end == std::string::npos) {
      ADD_FAILURE() << file << ": a generated part without " << kEnd;
      return parts;
    }
    const std::string command     = text.substr(words, line - words);
    const test::CommandResult now = test::run_foreflow(split(command, ' '));
    EXPECT_EQ(now.exit_code, 0) << now.err;
    EXPECT_EQ(without_fence(text.substr(begin, end - begin)), now.out)
        << file << ": write what foreflow " << command << " prints (docs/reference/update does)";
    ++parts;
  }
  return parts;
}

TEST(GeneratedText, IsWhatTheCommandPrints) {
  const std::filesystem::path root = FOREFLOW_SOURCE_DIR;
  int parts                        = check((root / "README.md").string());
  for (const char* folder : {"scenarios", "workloads", "platforms", "docs"}) {
    if (!std::filesystem::is_directory(root / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() == ".md") parts += check(entry.path().string());
    }
  }
  EXPECT_GE(parts, 1);
}

}  // namespace
}  // namespace foreflow::generated_text_test
