// What `foreflow search` does on Ctrl-C, and what it tells of its progress.
#include "foreflow/search/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "foreflow/base/text.h"
#include "support/children.h"
#include "support/command.h"
#include "support/temporary.h"

namespace foreflow::cli::search_test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

// A million strategies: minutes of work.
constexpr std::string_view kLarge =
    R"({ "workload": { "model": "gpt3-175b", "dtype": "f16", "sequence": 2048, "mode": "training", "optimizer": "adam" },
         "platform": { "topology": "dgx_a100", "nodes": 128 }, "strategy": { "global_batch": 1536, "tp": [4, 8] } })";

// Interrupts the command that this process has started as soon as it has workers: `times`, a tenth of a second apart.
void interrupt_child(int times) {
  for (int tries = 0; tries < 6000; ++tries) {
    for (const pid_t child : test::children_of(::getpid())) {
      const std::vector<pid_t> workers = test::children_of(child);
      if (workers.empty()) continue;
      std::this_thread::sleep_for(std::chrono::seconds(1));
      for (int time = 0; time < times; ++time) {
        ::kill(child, SIGINT);
        for (const pid_t worker : workers) ::kill(worker, SIGINT);  // as a terminal does
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

class EndedSearch : public testing::TestWithParam<int> {};

// `timeout` sends its signal to the process and then to its group, which is no second wish.
TEST_P(EndedSearch, TellsWhatItHas) {
  const test::TemporaryFolder folder;
  write_file(folder / "s.json", kLarge);
  std::thread interruption(interrupt_child, GetParam());
  const test::CommandResult result =
      test::run_foreflow({"search", "s.json", "--jobs", "2", "--json", "s.result.json"}, folder.path());
  interruption.join();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AnyOf(HasSubstr("Interrupted: "), HasSubstr("None was found yet")));
  EXPECT_THAT(read_file(folder / "s.result.json"), HasSubstr("\"proven\": false"));
}

INSTANTIATE_TEST_SUITE_P(Signals, EndedSearch, testing::Values(1, 2));

TEST(SearchProgress, TellsHowFarAndHowGood) {
  const search::Status status{.points = 1000, .decided = 900, .evaluated = 40, .best = 31.25, .gap = 0.031};
  EXPECT_EQ(search::progress_line(status, std::chrono::duration<double>(4)),
            "search: 900 of 1000 strategies decided, 40 predicted (10 a second), best 31.25 samples/s, at most 3.1 % "
            "better possible");
  EXPECT_EQ(search::progress_line({.points = 10}, std::chrono::duration<double>(1)),
            "search: 0 of 10 strategies decided, 0 predicted (0 a second)");
}

}  // namespace
}  // namespace foreflow::cli::search_test
