#include "reproduce/measured_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"
#include "support/environment.h"
#include "support/temporary.h"

namespace foreflow::reproduce::measured_file_test {
namespace {

// Folders `own` (options.folder), `shared` beside it, and `chosen`, which FOREFLOW_SHARED may name.
class MeasuredFile : public testing::Test {
 protected:
  MeasuredFile() { options_.folder = folder_ / "own"; }
  std::string add(const std::string& name) const {
    const std::string path = folder_ / name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    write_file(path, "");
    return path;
  }
  std::string found() const { return measured_file(options_, "layers/table.csv"); }

  const test::TemporaryFolder folder_;
  Options options_;
};

TEST_F(MeasuredFile, IsThatOfTheChosenFolderBeforeOurs) {
  const test::EnvironmentVariable chosen("FOREFLOW_SHARED", folder_ / "chosen");
  add("shared/data/layers/table.csv");
  const std::string own = add("own/tests/data/layers/table.csv");
  EXPECT_EQ(found(), own);
  EXPECT_EQ(found(), add("chosen/data/layers/table.csv"));
}

TEST_F(MeasuredFile, IsThatOfSharedBesideOursWhereNoneIsChosen) {
  const test::EnvironmentVariable none("FOREFLOW_SHARED", {});
  const std::string own = add("own/tests/data/layers/table.csv");
  EXPECT_EQ(found(), own);
  EXPECT_EQ(found(), add("shared/data/layers/table.csv"));
}

TEST_F(MeasuredFile, IsSaidToBeMissingWithBothPlacesWhereItBelongs) {
  const test::EnvironmentVariable chosen("FOREFLOW_SHARED", folder_ / "chosen");
  try {
    found();
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), folder_ / "chosen/data/layers/table.csv" +
                                             ": the measurements are not there; they belong in data/layers of the "
                                             "folder that FOREFLOW_SHARED names, or in tests/data/layers of the one "
                                             "that --data names");
  }
}

}  // namespace
}  // namespace foreflow::reproduce::measured_file_test
