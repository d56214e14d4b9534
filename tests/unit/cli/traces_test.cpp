#include "cli/traces.h"

#include <gmock/gmock.h>

#include <fstream>

#include "foreflow/base/text.h"

namespace foreflow::cli::traces_test {
namespace {

// The trace of rank 0 of two, as that of a rank of a run of four.
std::string rank_of_four(int rank) {
  std::string text       = read_file(FOREFLOW_SOURCE_DIR "/tests/data/traces/two_layers_rank0.json");
  const std::string said = R"("rank": 0, "world_size": 2)";
  const size_t at        = text.find(said);
  EXPECT_NE(at, std::string::npos);
  text.replace(at, said.size(), R"("rank": )" + std::to_string(rank) + R"(, "world_size": 4)");
  const std::string file = testing::TempDir() + "rank" + std::to_string(rank) + "_of_4.json";
  std::ofstream(file) << text;
  return file;
}

TEST(MeasuredFiles, SayThatMessagesIncludeTheWaitForRanksThatAreAbsent) {
  const std::string one  = "messages include how long this rank waited for the others";
  const std::string some = "messages include how long these ranks waited for the others";
  EXPECT_THAT(read_measured_files({rank_of_four(2)}).text, testing::HasSubstr(one));
  EXPECT_THAT(read_measured_files({rank_of_four(0), rank_of_four(2)}).text, testing::HasSubstr(some));
  EXPECT_THAT(read_measured_files({rank_of_four(0), rank_of_four(1), rank_of_four(2), rank_of_four(3)}).text,
              testing::Not(testing::HasSubstr("messages include")));
}

}  // namespace
}  // namespace foreflow::cli::traces_test
