#include "foreflow/base/progress.h"

#include <gtest/gtest.h>

namespace foreflow::progress_test {
namespace {

using std::chrono::seconds;

TEST(ProgressLine, ShowsTheShareDoneAndTheTimeLeftAtThePaceSoFar) {
  EXPECT_EQ(progress_line("sweep", 25, 100, seconds(4)), "sweep [#####...............] 25/100, 12 s left");
  EXPECT_EQ(progress_line("sweep", 100, 100, seconds(4)), "sweep [####################] 100/100, 0 s left");
}

TEST(ProgressLine, DoesNotGuessTheTimeLeftBeforeSomethingIsDone) {
  EXPECT_EQ(progress_line("sweep", 0, 9, seconds(4)), "sweep [....................] 0/9");
  EXPECT_EQ(progress_line("sweep", 0, 0, seconds(4)), "sweep [####################] 0/0");
}

TEST(ProgressLine, DoesNotCountWhatWasDoneBeforeInThePace) {
  EXPECT_EQ(progress_line("sweep", 75, 100, seconds(4), 50), "sweep [###############.....] 75/100, 4 s left");
  EXPECT_EQ(progress_line("sweep", 50, 100, seconds(4), 50), "sweep [##########..........] 50/100");
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

}  // namespace
}  // namespace foreflow::progress_test
