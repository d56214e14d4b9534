// One test for every tests/golden/**/*.golden. UPDATE_GOLDEN=1 rewrites what the files expect.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "foreflow/base/text.h"
#include "golden/golden_file.h"

namespace foreflow::golden {
namespace {
namespace fs = std::filesystem;

class GoldenTest : public testing::Test {
 public:
  explicit GoldenTest(fs::path path) : path_(std::move(path)) {}

  void TestBody() override {
    const std::string text    = read_file(path_);
    const GoldenFile expected = parse_golden(text, path_);
    const GoldenFile actual   = run_golden(expected);
    if (std::getenv("UPDATE_GOLDEN") != nullptr) {
      if (print_golden(actual) != text) write_file(path_, print_golden(actual));
      return;
    }
    EXPECT_EQ(actual.exit_code, expected.exit_code) << "stderr: " << actual.err;
    const std::string out = first_difference(expected.out, actual.out);
    const std::string err = first_difference(expected.err, actual.err);
    EXPECT_TRUE(out.empty()) << path_.string() << ": stdout differs in " << out
                             << "If this is right: UPDATE_GOLDEN=1 golden_tests";
    EXPECT_TRUE(err.empty()) << path_.string() << ": stderr differs in " << err;
  }

 private:
  fs::path path_;
};

std::vector<fs::path> golden_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".golden") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void register_all() {
  const fs::path folder = FOREFLOW_SOURCE_DIR "/tests/golden";
  for (const fs::path& path : golden_files(folder)) {
    const std::string name = path.lexically_relative(folder).replace_extension().generic_string();
    testing::RegisterTest("Golden", name.c_str(), nullptr, nullptr, path.c_str(), 1,
                          [path]() -> testing::Test* { return new GoldenTest(path); });
  }
}

}  // namespace
}  // namespace foreflow::golden

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  foreflow::golden::register_all();
  return RUN_ALL_TESTS();
}
