#include "foreflow/base/progress.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "foreflow/base/process.h"

namespace foreflow::progress_test {
namespace {

using std::chrono::seconds;

TEST(ProgressLine, ShowsTheShareDoneAndTheTimeLeftAtThePaceSoFar) {
  EXPECT_EQ(progress_line("sweep", 25, 100, seconds(4)), "sweep [#####...............] 25/100, 12 s left");
  EXPECT_EQ(progress_line("sweep", 100, 100, seconds(4)), "sweep [####################] 100/100, 0 s left");
}

TEST(ProgressLine, DoesNotGuessTheTimeLeftBeforeSomethingIsDone) {
  EXPECT_EQ(progress_line("sweep", 0, 9, seconds(4)), "sweep [....................] 0/9, 4 s so far");
  EXPECT_EQ(progress_line("sweep", 0, 0, seconds(4)), "sweep [####################] 0/0, 4 s so far");
}

TEST(ProgressLine, DoesNotCountWhatWasDoneBeforeInThePace) {
  EXPECT_EQ(progress_line("sweep", 75, 100, seconds(4), 50), "sweep [###############.....] 75/100, 4 s left");
  EXPECT_EQ(progress_line("sweep", 50, 100, seconds(4), 50), "sweep [##########..........] 50/100, 4 s so far");
}

TEST(ProgressLine, WritesLongTimesInMinutesAndHours) {
  EXPECT_EQ(progress_line("s", 1, 2, seconds(125)), "s [##########..........] 1/2, 2 min 05 s left");
  EXPECT_EQ(progress_line("s", 1, 2, seconds(7500)), "s [##########..........] 1/2, 2 h 05 min left");
}

TEST(ProgressLine, NeverShowsMoreThanTheWhole) {
  EXPECT_EQ(progress_line("s", 5, 2, seconds(1)), "s [####################] 2/2, 0 s left");
}

TEST(Progress, IsSilentWhereShortWorkHasNoTerminal) {
  testing::internal::CaptureStderr();
  {
    Progress progress("sweep", 2);
    progress.update(1);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// The process under test has a terminal as its stderr. It starts children of its own while its progress is drawn: none
// may hang.
TEST(Progress, DrawsItselfWhileNothingIsUpdated) {
  int terminal      = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  ASSERT_GE(child, 0);
  if (child == 0) {
    {
      Progress progress("simulate", 5, 0, Progress::Drawn::itself);
      const auto end = std::chrono::steady_clock::now() + seconds(3);
      while (std::chrono::steady_clock::now() < end) run_in_child("job", [] { return std::string(100, 'x'); });
      std::fputs("all answered", stderr);
    }
    ::_exit(0);
  }
  std::string shown;
  char buffer[256];
  for (ssize_t size = 0; (size = ::read(terminal, buffer, sizeof buffer)) > 0;)
    shown.append(buffer, static_cast<size_t>(size));
  ::close(terminal);
  ::waitpid(child, nullptr, 0);
  EXPECT_NE(shown.find("simulate [....................] 0/5, "), std::string::npos) << shown;
  EXPECT_NE(shown.find(" s so far"), std::string::npos) << shown;
  EXPECT_NE(shown.find("all answered"), std::string::npos) << shown;
}

TEST(Progress, EndsAtOnceWhereItDrawsItself) {
  const auto start = std::chrono::steady_clock::now();
  { Progress progress("simulate", 5, 0, Progress::Drawn::itself); }
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(5));
}

}  // namespace
}  // namespace foreflow::progress_test
