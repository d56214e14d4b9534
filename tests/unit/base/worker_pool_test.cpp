#include "foreflow/base/worker_pool.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "foreflow/base/process.h"

namespace foreflow::worker_pool_test {
namespace {

TEST(WorkerPool, AnswersInTheOrderOfTheRequests) {
  WorkerPool pool(3, [](const std::string& request) { return request + request; });
  const std::string large(200'000, 'x');
  EXPECT_EQ(pool.ask({"a", "", large, "b"}), (std::vector<std::string>{"aa", "", large + large, "bb"}));
  EXPECT_TRUE(pool.ask({}).empty());
}

TEST(WorkerPool, KeepsTheMemoryOfItsWorkers) {
  int asked = 0;
  WorkerPool pool(1, [&](const std::string&) { return std::to_string(++asked); });
  EXPECT_EQ(pool.ask({"", ""}), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(pool.ask({""}), std::vector<std::string>{"3"});
  EXPECT_EQ(asked, 0);  // in this process
}

TEST(WorkerPool, GivesNoFurtherRequestsOnceItIsStopped) {
  size_t finished = 0;
  WorkerPool pool(1, [](const std::string& request) { return request + request; });
  const auto count = [&](size_t, const std::string&) { ++finished; };
  EXPECT_EQ(pool.ask({"a", "b", "c"}, count, [&] { return finished == 2; }),
            (std::vector<std::string>{"aa", "bb", ""}));
  EXPECT_EQ(finished, 2U);
  EXPECT_EQ(pool.ask({"d"}, {}, [] { return true; }), std::vector<std::string>{""});
  EXPECT_EQ(pool.ask({"e"}), std::vector<std::string>{"ee"});
}

TEST(WorkerPool, GoesOnWithRequestsThatAreNotWaitedFor) {
  std::string answers;
  WorkerPool pool(1, [](const std::string& request) { return request + request; });
  const auto note = [&](const std::string& answer) { answers += answer + " "; };
  const auto ends = [&](const std::string& end) { return [&answers, end] { return answers.ends_with(end); }; };
  pool.add("a", note);
  pool.add("b", note);
  pool.run(ends("aa "));
  EXPECT_EQ(answers, "aa ");
  pool.add("c", note);
  pool.run(ends("bb "));
  EXPECT_EQ(answers, "aa bb ");
  pool.run(ends("dd "));  // there is no such request
  EXPECT_EQ(answers, "aa bb cc ");
}

TEST(WorkerPool, RethrowsAndTellsOfDeaths) {
  WorkerPool throws(2, [](const std::string&) -> std::string { throw Error("here", "no"); });
  EXPECT_THROW(throws.ask({"a"}), Error);
  WorkerPool dies(2, [](const std::string&) -> std::string { ::_exit(3); });
  EXPECT_THROW(dies.ask({"a"}), ChildDied);
}

}  // namespace
}  // namespace foreflow::worker_pool_test
