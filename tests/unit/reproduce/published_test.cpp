#include "reproduce/published.h"

#include <gtest/gtest.h>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"
#include "support/temporary.h"

namespace foreflow::reproduce::published_test {
namespace {

class PublishedFile : public testing::Test {
 protected:
  std::vector<Published> read(const std::string& text) const {
    write_file(path_, text);
    return read_published(path_);
  }
  std::string complaint(const std::string& text, const std::string& column) const {
    try {
      for (const Published& row : read(text)) row.number(column);
    } catch (const Error& error) {
      return std::string(error.what()).substr(path_.size());
    }
    return "";
  }

  const test::TemporaryFolder folder_;
  const std::string path_ = folder_ / "table.csv";
};

TEST_F(PublishedFile, HasColumnsByName) {
  const auto rows = read("# a source\nmodel,batch\nMLP 1B,128\n\nMLP 17B,4096\n");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].word("model"), "MLP 1B");
  EXPECT_EQ(rows[1].whole("batch"), 4096);
}

TEST_F(PublishedFile, NamesTheLineOfAMistake) {
  EXPECT_EQ(complaint("a,b\n1,2\n1\n", "a"), ":3: has 1 cells for 2 columns");
  EXPECT_EQ(complaint("a,b\n1,x\n", "b"), ":2: b is \"x\", which is no number");
  EXPECT_EQ(complaint("a,b\n1,2\n", "c"), ":2: there is no column \"c\"");
}

}  // namespace
}  // namespace foreflow::reproduce::published_test
