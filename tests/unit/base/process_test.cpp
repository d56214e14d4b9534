#include "foreflow/base/process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <thread>

#include "foreflow/base/error.h"
#include "foreflow/base/memory.h"

namespace foreflow::process_test {
namespace {

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no Error was thrown";
}

TEST(RunInChild, ReturnsTheBytesOfTheWorkWhateverTheyAre) {
  EXPECT_EQ(run_in_child("job", [] { return std::string(); }), "");
  const std::string bytes("e\0\n\xff", 4);
  EXPECT_EQ(run_in_child("job", [&] { return bytes; }), bytes);
}

TEST(RunInChild, CarriesMoreThanAPipeHoldsOnBothPipesAtOnce) {
  const std::string large(3 << 20, 'x');
  EXPECT_EQ(run_in_child("job", [&] { return std::fwrite(large.data(), 1, large.size(), stderr), large; }), large);
}

TEST(RunInChild, LeavesTheMemoryOfTheParentAlone) {
  int counter = 1;
  EXPECT_EQ(run_in_child("job", [&] { return std::to_string(++counter); }), "2");
  EXPECT_EQ(counter, 1);
}

TEST(RunInChild, ThrowsAPartErrorOfTheChildAsOne) {
  try {
    run_in_child("job", []() -> std::string { throw PartError("link l", "is down"); });
    FAIL() << "no Error was thrown";
  } catch (const PartError& error) {
    EXPECT_STREQ(error.what(), "link l: is down");
  }
}

TEST(RunInChild, ThrowsTheErrorOfTheChildWithItsPlaceAndProblem) {
  try {
    run_in_child("job", []() -> std::string { throw Error("gpt.json: $.tp", "6 does not divide 32: use 8"); });
    FAIL() << "no Error was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "gpt.json: $.tp");
    EXPECT_EQ(error.problem(), "6 does not divide 32: use 8");
  }
}

TEST(RunInChild, ThrowsTheMemoryErrorOfTheChildAsOne) {
  try {
    run_in_child("job", []() -> std::string { throw MemoryError("the trace takes 12 GB; 8 GB are available here"); });
    FAIL() << "no MemoryError was thrown";
  } catch (const MemoryError& error) {
    EXPECT_STREQ(error.what(), "memory: the trace takes 12 GB; 8 GB are available here");
  }
}

TEST(RunInChild, ThrowsInternalErrorForEveryOtherException) {
  EXPECT_THROW(run_in_child("job", []() -> std::string { throw InternalError("broken"); }), InternalError);
  EXPECT_THROW(run_in_child("job", []() -> std::string { throw std::runtime_error("broken"); }), InternalError);
  EXPECT_THROW(run_in_child("job", []() -> std::string { throw 7; }), InternalError);
}

TEST(RunInChild, NamesTheSignalAndTheLastMessageOfAChildThatIsKilled) {
  const auto work = []() -> std::string {
    std::fputs("loading\nno route from A to B\n\n", stderr);
    std::raise(SIGKILL);
    return "never";
  };
  EXPECT_EQ(message_of([&] { run_in_child("job", work); }),
            "job: the worker process was ended by signal 9 (Killed); its last message: no route from A to B");
}

TEST(RunInChild, NamesTheExitCodeOfAChildThatLeaves) {
  EXPECT_EQ(message_of([] { run_in_child("job", []() -> std::string { ::_exit(3); }); }),
            "job: the worker process ended without an answer (exit code 3)");
  EXPECT_EQ(message_of([] { run_in_child("job", []() -> std::string { ::_exit(0); }); }),
            "job: the worker process ended without an answer (exit code 0)");
}

TEST(RunInChild, DoesNotRepeatWhatTheParentHadNotYetFlushed) {
  testing::internal::CaptureStdout();
  std::printf("once;");
  run_in_child("job", [] { return std::string(); });
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "once;");
}

TEST(RunInChild, IsSilentOnStderrWhenTheWorkSucceeds) {
  testing::internal::CaptureStderr();
  run_in_child("job", [] { return std::fputs("chatter\n", stderr), std::string(); });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(RunInChild, MayRunInsideAnotherChild) {
  EXPECT_EQ(run_in_child("outer", [] { return run_in_child("inner", [] { return std::string("x"); }) + "y"; }), "xy");
}

class MapInChildren : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Jobs, MapInChildren, testing::Values(-1, 0, 1, 2, 3, 40));

TEST_P(MapInChildren, GivesResultsInIndexOrder) {
  const auto square = [](size_t i) {
    if (i % 3 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return std::to_string(i * i);
  };
  std::vector<std::string> expected;
  for (size_t i = 0; i < 20; ++i) expected.push_back(std::to_string(i * i));
  EXPECT_EQ(map_in_children(20, GetParam(), square), expected);
  EXPECT_TRUE(map_in_children(0, GetParam(), square).empty());
}

TEST_P(MapInChildren, CountsWhatIsFinished) {
  std::vector<size_t> counts;
  map_in_children(
      5, GetParam(), [](size_t) { return std::string(); }, [&](size_t done) { counts.push_back(done); });
  EXPECT_EQ(counts, (std::vector<size_t>{1, 2, 3, 4, 5}));
}

TEST_P(MapInChildren, ThrowsTheFailureOfTheLowestIndexWhicheverCameFirst) {
  const auto work = [](size_t i) -> std::string {
    if (i == 2) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    if (i >= 2) throw Error("row " + std::to_string(i), "is wrong");
    return "ok";
  };
  EXPECT_EQ(message_of([&] { map_in_children(6, GetParam(), work); }), "row 2: is wrong");
}

TEST_P(MapInChildren, NamesTheItemThatDied) {
  const auto work = [](size_t i) -> std::string { return i == 1 ? ::_exit(4), "" : "ok"; };
  EXPECT_EQ(message_of([&] { map_in_children(3, GetParam(), work); }),
            "item 2 of 3: the worker process ended without an answer (exit code 4)");
}

TEST(MapInChildren, DoesNotWaitForItemsAfterTheFailure) {
  const auto start = std::chrono::steady_clock::now();
  const auto work  = [](size_t i) -> std::string {
    if (i == 0) throw Error("row 0", "is wrong");
    std::this_thread::sleep_for(std::chrono::seconds(60));
    return "late";
  };
  EXPECT_THROW(map_in_children(2, 2, work), Error);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

}  // namespace
}  // namespace foreflow::process_test
