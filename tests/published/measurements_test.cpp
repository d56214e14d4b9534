// The measurements of others in tests/data: the numbers that their source has, cell by cell.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "foreflow/base/text.h"
#include "reproduce/published.h"
#include "support/data.h"
#include "support/shared.h"

namespace foreflow::published::measurements_test {
namespace {

using reproduce::Published;

// "layers/matmul.csv", ...
std::vector<std::string> files() {
  std::vector<std::string> names;
  for (const std::string folder : {"iterations", "layers"}) {
    for (const auto& entry : std::filesystem::directory_iterator(test::data(folder)))
      names.push_back(folder + "/" + entry.path().filename().string());
  }
  return names;
}

// The names in the first line that is no comment; none has a comma.
std::vector<std::string> columns_of(const std::string& path) {
  for (const std::string& line : split(read_file(path), '\n')) {
    if (!line.starts_with('#')) return split(line, ',');
  }
  return {};
}

// In the order of the source. Layers have some of its rows, iterations all of them.
void expect_rows_of(const std::string& file, const std::string& original) {
  const std::string path                 = test::data(file);
  const std::vector<std::string> columns = columns_of(path);
  const std::vector<Published> ours = reproduce::read_published(path), theirs = reproduce::read_published(original);
  const auto agree = [&](const Published& one, const Published& other) {
    return std::all_of(columns.begin(), columns.end(),
                       [&](const std::string& column) { return one.word(column) == other.word(column); });
  };
  auto next = theirs.begin();
  for (size_t i = 0; i < ours.size(); ++i) {
    next = std::find_if(next, theirs.end(), [&](const Published& row) { return agree(ours[i], row); });
    ASSERT_NE(next, theirs.end()) << "row " << i + 1 << " is not in " << original << ", or not in this order";
    ++next;
  }
  EXPECT_FALSE(ours.empty());
  if (file.starts_with("iterations/")) {
    EXPECT_EQ(ours.size(), theirs.size());
  }
}

TEST(Measurements, NameTheirSource) {
  for (const std::string& file : files()) EXPECT_TRUE(read_file(test::data(file)).starts_with("# ")) << file;
}

TEST(Measurements, AreThoseOfTheirSource) {
  FOREFLOW_SHARED_OR_SKIP(originals, "data/iterations");
  for (const std::string& file : files()) {
    SCOPED_TRACE(file);
    expect_rows_of(file, (originals.parent_path() / file).string());
  }
}

}  // namespace
}  // namespace foreflow::published::measurements_test
