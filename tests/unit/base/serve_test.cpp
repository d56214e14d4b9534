#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <new>
#include <set>
#include <utility>

#include "foreflow/base/process.h"

namespace foreflow::serve_test {
namespace {

// What a service said of each item.
struct Said {
  std::map<size_t, std::string> finished, failed;
};

Said serve_all(size_t workers, size_t items, const std::function<std::string(size_t)>& work) {
  Said said;
  size_t next = 0;
  Service service;
  service.work     = work;
  service.next     = [&](size_t) { return next < items ? std::optional(next++) : std::nullopt; };
  service.finished = [&](size_t item, const std::string& answer) { said.finished.emplace(item, answer); };
  service.failed   = [&](size_t item, const std::exception& why) { said.failed.emplace(item, why.what()); };
  serve(workers, service);
  return said;
}

class ServeWith : public testing::TestWithParam<size_t> {};
INSTANTIATE_TEST_SUITE_P(Workers, ServeWith, testing::Values(1, 2, 5, 40));

TEST_P(ServeWith, AnswersEveryItemWhateverTheBytes) {
  const Said said = serve_all(GetParam(), 20, [](size_t item) { return std::string(item * 20'000, '\0') + "\n"; });
  EXPECT_TRUE(said.failed.empty());
  ASSERT_EQ(said.finished.size(), 20U);
  for (const auto& [item, answer] : said.finished) EXPECT_EQ(answer, std::string(item * 20'000, '\0') + "\n");
}

TEST_P(ServeWith, KeepsAWorkersMemoryFromItemToItemAndTheParentsAsItIs) {
  int done        = 0;
  const Said said = serve_all(GetParam(), 20, [&](size_t) { return std::to_string(++done); });
  std::multiset<int> counts;
  for (const auto& [item, answer] : said.finished) counts.insert(std::stoi(answer));
  EXPECT_EQ(done, 0);
  EXPECT_EQ(counts.size(), 20U);
  EXPECT_LE(counts.count(1), GetParam());  // each worker has one first item
  EXPECT_GE(*counts.rbegin(), static_cast<int>(20 / GetParam()));
}

TEST_P(ServeWith, GoesOnAfterItemsThatThrowOrDie) {
  const auto work = [](size_t item) -> std::string {
    if (item % 4 == 1) throw Error("row", "is wrong");
    if (item % 4 == 2) throw InternalError("broken");
    if (item % 4 == 3) std::raise(SIGKILL);
    return "ok";
  };
  const Said said = serve_all(GetParam(), 12, work);
  EXPECT_EQ(said.finished, (std::map<size_t, std::string>{{0, "ok"}, {4, "ok"}, {8, "ok"}}));
  ASSERT_EQ(said.failed.size(), 9U);
  EXPECT_EQ(said.failed.at(1), "row: is wrong");
  EXPECT_EQ(said.failed.at(2), "broken");
  EXPECT_EQ(said.failed.at(3), "worker: the worker process was ended by signal 9 (Killed)");
}

TEST(Serve, TellsADeadWorkerFromAWrongInput) {
  const auto kind_of = [](const std::function<std::string(size_t)>& work) {
    std::string kind;
    bool given = false;
    Service service;
    service.work     = work;
    service.next     = [&](size_t) { return std::exchange(given, true) ? std::nullopt : std::optional<size_t>(0); };
    service.finished = [&](size_t, const std::string&) { kind = "finished"; };
    service.failed   = [&](size_t, const std::exception& why) {
      kind = dynamic_cast<const ChildDied*>(&why) != nullptr ? "died" : "failed";
    };
    serve(1, service);
    return kind;
  };
  EXPECT_EQ(kind_of([](size_t) -> std::string { ::_exit(3); }), "died");
  EXPECT_EQ(kind_of([](size_t) { return run_in_child("inner", []() -> std::string { ::_exit(3); }); }), "died");
  EXPECT_EQ(kind_of([](size_t) -> std::string { throw std::bad_alloc(); }), "died");
  EXPECT_EQ(kind_of([](size_t) -> std::string { throw Error("here", "is wrong"); }), "failed");
}

TEST(Serve, AsksForItemsByTheNumberOfTheWorker) {
  std::map<size_t, int> left = {{0, 3}, {1, 5}};
  std::map<std::string, int> counts;
  Service service;
  service.work     = [](size_t item) { return std::to_string(item) + " by " + std::to_string(::getpid()); };
  service.next     = [&](size_t worker) { return left[worker]-- > 0 ? std::optional(worker) : std::nullopt; };
  service.finished = [&](size_t, const std::string& answer) { ++counts[answer]; };
  service.failed   = [](size_t, const std::exception& why) { FAIL() << why.what(); };
  serve(2, service);
  ASSERT_EQ(counts.size(), 2U);  // one process for each number
  EXPECT_EQ(counts.begin()->second, 3);
  EXPECT_EQ(counts.rbegin()->second, 5);
}

}  // namespace
}  // namespace foreflow::serve_test
