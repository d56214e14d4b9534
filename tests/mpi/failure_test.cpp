// What goes wrong ends every process and is told in one line.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
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
TEST(FailingProcesses, EndWithTheCommandThatStartedThem) {
  FOREFLOW_MPI_OR_SKIP();
  const test::TemporaryFolder folder;
  ::setenv("TMPDIR", folder.path().c_str(), 1);  // a command that is killed does not clean up
  write_file(folder / "p.distir", R"(func @main(%x: Tensor[Float32, (300, 300), 1]) {
  %a = MatMul(%x, %x)
  %b: D2 = Send(%a, 2)
  return %b
}
)");
  const std::string mark = "7654.25";  // stands in the command lines of mpirun and its processes
  std::thread command([&] {
    test::run_foreflow({"execute", "p.distir", "--ranks", "mpi", "--iterations", "10000000", "--timeout", mark},
                       folder.path());
  });
  EXPECT_TRUE(becomes_true([&] { return processes_with(mark).size() >= 4; }));  // the command, mpirun, two processes
  for (const pid_t pid : processes_with(mark)) {
    if (read_file("/proc/" + std::to_string(pid) + "/cmdline").find("execute") != std::string::npos)
      ::kill(pid, SIGKILL);
  }
  command.join();
  EXPECT_TRUE(becomes_true([&] { return processes_with(mark).empty(); })) << "processes are left";
  ::unsetenv("TMPDIR");
}

}  // namespace
}  // namespace foreflow
