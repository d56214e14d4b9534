// What `foreflow sweep` does when a worker dies: its exit code, its message and the row of the point.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "foreflow/base/text.h"
#include "support/children.h"
#include "support/command.h"
#include "support/temporary.h"

namespace foreflow::sweep_test {
namespace {

using test::CommandResult;
using testing::HasSubstr;
using testing::MatchesRegex;

constexpr std::string_view kSlow =
    R"({ "workload": { "model": "gpt", "layers": 24, "hidden": 1024, "heads": 16 }, "platform": { "topology": "dgx2" },
         "engine": "analytic", "strategy": { "tp": [1, 2], "pp": [1, 2, 4], "global_batch": 8 } })";

// Kills what the children of this process start, until `ended`.
void kill_grandchildren(const std::atomic<bool>& ended) {
  while (!ended) {
    for (const pid_t child : test::children_of(::getpid())) {
      for (const pid_t grandchild : test::children_of(child)) ::kill(grandchild, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(SweepCommand, OutlivesItsWorkersAndSaysSo) {
  const test::TemporaryFolder folder;
  write_file(folder / "s.json", kSlow);
  ::setenv("ASAN_OPTIONS", "detect_leaks=0",
           1);  // the process that looks for leaks would be killed too, and waited for
  std::atomic<bool> ended = false;
  std::thread killer([&] { kill_grandchildren(ended); });
  const CommandResult result =
      test::run_foreflow({"sweep", "s.json", "--jobs", "1", "--store", "s.sqlite", "--csv", "-"}, folder.path());
  ended = true;
  killer.join();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, MatchesRegex("foreflow: error: s.json: [1-6] of 6 points crashed; with a --store, the same "
                                       "command tries them again\n"));
  EXPECT_THAT(result.out, HasSubstr(",crashed,"));
  EXPECT_THAT(result.out, HasSubstr(",worker: the worker process was ended by signal 9 (Killed)\n"));
}

}  // namespace
}  // namespace foreflow::sweep_test
