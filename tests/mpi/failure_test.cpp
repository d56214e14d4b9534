// What goes wrong ends every process and is told in one line.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <thread>

#include "foreflow/base/text.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "mpi/processes.h"
#include "support/command.h"
#include "support/temporary.h"

namespace foreflow {
namespace {
namespace fs = std::filesystem;

std::string message_of(const execute::Task& task, const execute::Options& options) {
  try {
    test::run_processes({task}, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was wrong";
}

execute::Task task(const std::string& text) {
  return test::with_random_arguments(ir::parse(text, "p.distir", ops::table()), 1);
}

// Processes whose command line has `word`.
std::vector<pid_t> processes_with(const std::string& word) {
  std::vector<pid_t> found;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid == 0) continue;
    try {
      if (read_file(entry.path() / "cmdline").find(word) != std::string::npos) found.push_back(pid);
    } catch (const Error&) {  // it has ended meanwhile
    }
  }
  return found;
}

bool becomes_true(const std::function<bool()>& condition) {
  for (int i = 0; i < 200; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

TEST(FailingProcesses, AreNamedWithFunctionAndOp) {
  FOREFLOW_MPI_OR_SKIP();
  const std::string text = R"(func @look_up(%table, %i) {
  %row = Gather(%table, %i)
  return %row
}

func @main(%table: Tensor[Float32, (4, 2), 2], %i: Tensor[Int64, (1,), 1]) {
  %j: D2 = Send(%i, 2)
  %row: D2 = @look_up(%table, %j)
  %back: D1 = Send(%row, 1)
  return %back
}
)";
  execute::Task wrong    = task(text);
  wrong.arguments[1]     = ir::Array::of_ints({1}, {9});
  EXPECT_THAT(message_of(wrong, {}), testing::StartsWith("rank 1: D2.distir:2: @look_up: %row = Gather: "));
}

TEST(FailingProcesses, DoNotWaitLongerThanTheyMay) {
  FOREFLOW_MPI_OR_SKIP();
  // Much more than 0.3 s of work on any machine; the processes are ended long before it is done.
  std::string text = "func @main(%x: Tensor[Float32, (4,), 1], %y0: Tensor[Float32, (1000, 1000), 2]) {\n";
  for (int i = 1; i <= 200; ++i) text += fmt::format("  %y{}: D2 = MatMul(%y{}, %y0)\n", i, i - 1);
  const execute::Task slow = task(text + "  %b: D1 = Send(%y200, 1)\n  return %b\n}\n");
  EXPECT_EQ(message_of(slow, {.timeout = Seconds(0.3)}),
            "rank 0: D1.distir:2: @main: %b = Send: has waited 300 ms for rank 1; give more with --timeout");
}

// The command is ended in the middle of a run that would take hours.
class EndedCommand : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    FOREFLOW_MPI_OR_SKIP();
    ::setenv("TMPDIR", temporary_.path().c_str(), 1);
    write_file(folder_ / "p.distir", R"(func @main(%x: Tensor[Float32, (300, 300), 1]) {
  %a = MatMul(%x, %x)
  %b: D2 = Send(%a, 2)
  return %b
}
)");
  }
  void TearDown() override { ::unsetenv("TMPDIR"); }

  static bool is_command(pid_t pid) {
    try {
      const std::string words = read_file("/proc/" + std::to_string(pid) + "/cmdline");
      return words.find("execute") != std::string::npos;
    } catch (const Error&) {  // it has ended meanwhile
      return false;
    }
  }
  // Of the command and its guardian, which is a copy of it, the older.
  static pid_t command_among(const std::vector<pid_t>& processes) {
    pid_t oldest = 0;
    for (const pid_t pid : processes) {
      if (is_command(pid) && (oldest == 0 || pid < oldest)) oldest = pid;
    }
    return oldest;
  }

  // The limit of time, which stands in the command lines of mpirun and its processes. It holds the number of this
  // process, so that shards of the tests that run at the same time do not end each other's commands.
  const std::string mark_ = fmt::format("7654.{:08}1", ::getpid());
  const test::TemporaryFolder folder_, temporary_;
};

TEST_P(EndedCommand, LeavesNeitherProcessesNorFiles) {
  test::CommandResult result{};
  std::thread command([&] {
    result = test::run_foreflow(
        {"execute", "p.distir", "--ranks", "mpi", "--iterations", "10000000", "--timeout", mark_}, folder_.path());
  });
  // The command, its guardian, mpirun, two processes.
  EXPECT_TRUE(becomes_true([&] { return processes_with(mark_).size() >= 5; }));
  // Without a command to end there is none to wait for either; 0 would name the group of this process.
  const pid_t pid = command_among(processes_with(mark_));
  if (pid != 0) ::kill(pid, GetParam());
  command.join();
  EXPECT_EQ(result.exit_code, 128 + GetParam());
  EXPECT_TRUE(becomes_true([&] { return processes_with(mark_).empty(); })) << "processes are left";
  EXPECT_TRUE(becomes_true([&] {
    return std::none_of(fs::directory_iterator(temporary_.path()), {},
                        [](const auto& entry) { return entry.path().filename().string().starts_with("foreflow-mpi"); });
  })) << "a folder is left";
}

INSTANTIATE_TEST_SUITE_P(Every, EndedCommand, ::testing::Values(SIGINT, SIGTERM, SIGHUP, SIGKILL),
                         [](const auto& info) { return std::string(::sigabbrev_np(info.param)); });

// Where the guardian was killed too, nobody is left to remove the folder but the next run.
TEST(FoldersThatAreLeftBehind, GoWithTheNextRun) {
  FOREFLOW_MPI_OR_SKIP();
  const test::TemporaryFolder temporary;
  ::setenv("TMPDIR", temporary.path().c_str(), 1);
  const fs::path left = temporary.path() / "foreflow-mpi.abcdef";
  fs::create_directory(left);
  write_file(left / "lock", "");
  fs::create_directory(temporary.path() / "foreflow-mpi.other");  // without a lock it is none of ours
  test::run_processes({task("func @main(%x: Tensor[Float32, (4,), 1]) {\n  %y = Relu(%x)\n  return %y\n}\n")});
  ::unsetenv("TMPDIR");
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(temporary.path() / "foreflow-mpi.other"));
}

}  // namespace
}  // namespace foreflow
