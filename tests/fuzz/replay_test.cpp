// Every seed and every past finding, through the same functions as in the fuzzers, in the ordinary build.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "foreflow/base/text.h"
#include "fuzz/form.h"

namespace foreflow::fuzz {
namespace {

// In order, so that a crash is that of the same file on every run.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

class Replay : public ::testing::TestWithParam<std::string> {
 protected:
  const Form& form = forms().get(GetParam(), "test");
  std::vector<std::filesystem::path> files(const std::string& kind) const {
    return files_in(std::filesystem::path(FOREFLOW_SOURCE_DIR) / "tests/fuzz" / kind / GetParam());
  }
};

TEST_P(Replay, TakesEverySeed) {
  const auto seeds = files("seeds");
  EXPECT_FALSE(seeds.empty());
  for (const auto& file : seeds) EXPECT_NO_THROW(form.take(read_file(file))) << file;
}

TEST_P(Replay, TakesOrRefusesEveryPastFinding) {
  for (const auto& file : files("regressions")) EXPECT_NO_THROW(try_bytes(form, read_file(file))) << file;
}

TEST_P(Replay, RefusesEverySeedThatIsCutShortInOneLine) {
  for (const auto& file : files("seeds")) {
    const std::string bytes = read_file(file);
    for (const size_t part : {1, 2, 3})
      EXPECT_NO_THROW(try_bytes(form, bytes.substr(0, bytes.size() * part / 4))) << file;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryForm, Replay, ::testing::ValuesIn(forms().names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace foreflow::fuzz
