// Rounds of requests to workers, and searches that are stopped while workers are at them.
#include "search/round.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace foreflow::search {
namespace {

std::string work(const std::string& request) {
  if (request == "long") std::this_thread::sleep_for(std::chrono::minutes(10));
  return request + request;
}

TEST(Round, HandsOutEveryAnswer) {
  WorkerPool workers(2, work);
  std::string answers;
  Round round;
  for (const char* request : {"a", "b", "c"}) round.add(request, [&](const std::string& answer) { answers += answer; });
  round.begin(workers);
  EXPECT_TRUE(round.finish(workers, {}));
  EXPECT_EQ(answers.size(), 6U);
}

TEST(Round, LeavesWhatTakesLongWhenItIsStopped) {
  WorkerPool workers(2, work);
  std::string answers;
  Round round;
  for (const char* request : {"a", "long", "b"})
    round.add(request, [&](const std::string& answer) { answers += answer; });
  round.begin(workers);
  EXPECT_FALSE(round.finish(workers, [] { return true; }));
  EXPECT_EQ(answers, "aabb");  // these came before it gave up
}

}  // namespace
}  // namespace foreflow::search
