#include <gmock/gmock.h>

#include "foreflow/base/text.h"
#include "support/command.h"
#include "support/temporary.h"

namespace foreflow::cli::traces_test {
namespace {

// The trace of rank 0 of two, as that of a rank of a run of four; returns the name of the file.
std::string rank_of_four(int rank, const test::TemporaryFolder& folder) {
  std::string text       = read_file(FOREFLOW_SOURCE_DIR "/tests/data/traces/two_layers_rank0.json");
  const std::string said = R"("rank": 0, "world_size": 2)";
  const size_t at        = text.find(said);
  EXPECT_NE(at, std::string::npos);
  text.replace(at, said.size(), R"("rank": )" + std::to_string(rank) + R"(, "world_size": 4)");
  const std::string file = "rank" + std::to_string(rank) + "_of_4.json";
  write_file(folder / file, text);
  return file;
}

TEST(MeasuredFiles, SayThatMessagesIncludeTheWaitForRanksThatAreAbsent) {
  const std::string one  = "messages include how long this rank waited for the others";
  const std::string some = "messages include how long these ranks waited for the others";
  const auto said        = [](const std::vector<int>& ranks) {
    const test::TemporaryFolder folder;
    std::vector<std::string> arguments = {"calibrate"};
    for (const int rank : ranks) arguments.push_back(rank_of_four(rank, folder));
    arguments.insert(arguments.end(), {"-o", "fitted.json"});
    const auto run = test::run_foreflow(arguments, folder.path());
    return run.out + run.err;
  };
  EXPECT_THAT(said({2}), testing::HasSubstr(one));
  EXPECT_THAT(said({0, 2}), testing::HasSubstr(some));
  EXPECT_THAT(said({0, 1, 2, 3}), testing::Not(testing::HasSubstr("messages include")));
}

}  // namespace
}  // namespace foreflow::cli::traces_test
