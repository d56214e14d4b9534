// A search that is killed after random numbers of predictions loses no prediction, makes none twice, and ends with the
// bytes of one that nobody disturbed.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <random>
#include <thread>

#include "foreflow/search/search.h"
#include "store/database.h"
#include "support/temporary.h"

namespace foreflow::search_kill_test {
namespace {

constexpr int kKills = 20;

const Json& question() {
  static const Json source = parse_json(
      R"({"workload": {"model": "mlp", "layers": 4, "hidden": 64}, "platform": {"topology": "dgx2"},
          "engine": "analytic", "strategy": {"global_batch": 64, "schedule": "1f1b", "recompute": "none", "zero": [0, 1],
                       "microbatches": [1, 2, 4], "overlap_gradients": false, "overlap_tensor": 1,
                       "sequence_parallel": false}})",
      "mlp.json");
  return source;
}

search::Result run(const char* method, const std::string& store, int jobs) {
  search::Options options;
  options.method  = &search::methods().get(method, "method");
  options.budget  = 120;
  options.store   = store;
  options.jobs    = jobs;
  options.pruning = search::Pruning::front;
  return search::search(question(), "mlp.json", options);
}

std::string bytes(const search::Result& result) { return to_json(result, 10).dump() + to_csv(result); }

using Points = std::map<std::string, std::string>;

Points points_in(const std::string& store) {
  Points points;
  store::Database database(store);
  if (database.run("SELECT name FROM sqlite_master WHERE name = 'points'").empty()) return points;  // killed that early
  for (const auto& row : database.run("SELECT point, status || answer FROM points")) points.emplace(row[0], row[1]);
  return points;
}

size_t predicted_in(const Points& points) {
  return static_cast<size_t>(std::count_if(points.begin(), points.end(), [](const auto& point) {
    return point.second.find(R"("predicted":true)") != std::string::npos;
  }));
}

// Kills a search as soon as its store holds so many predictions, so that a busy machine changes nothing but how long
// that takes. Whether it was killed before it ended.
bool killed_at(size_t predictions, const char* method, const std::string& store, int jobs) {
  const pid_t child = ::fork();
  if (child == 0) {
    run(method, store, jobs);
    ::_exit(0);
  }
  const auto ended = [&](int options, int& status) { return ::waitpid(child, &status, options) == child; };
  int status       = 0;
  bool gone        = ended(WNOHANG, status);
  const auto begun = [&] { return std::filesystem::exists(store + "-wal"); };  // the tables are there then
  while (!gone && predictions > 0 && !(begun() && predicted_in(points_in(store)) >= predictions)) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    gone = ended(WNOHANG, status);
  }
  if (!gone) {
    ::kill(child, SIGKILL);
    ended(0, status);
  }
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
  return WIFSIGNALED(status);
}

class ASearchThatIsKilled : public testing::TestWithParam<const char*> {};

TEST_P(ASearchThatIsKilled, LosesAndRepeatsNothing) {
  const test::TemporaryFolder folder;
  const std::string store  = folder / "s.sqlite";
  const search::Result all = run(GetParam(), "", 2);
  ASSERT_GT(all.evaluated, 20U);
  EXPECT_EQ(all.reused, 0U);
  std::mt19937_64 random(7);
  std::uniform_int_distribution<size_t> predictions(0, all.evaluated);
  Points before;
  size_t partial = 0;
  for (int kills = 0; kills < kKills;) {
    if (killed_at(predictions(random), GetParam(), store, 1 + kills % 3)) ++kills;
    const Points after = points_in(store);
    ASSERT_TRUE(std::includes(after.begin(), after.end(), before.begin(), before.end())) << "a prediction was lost";
    before = after;
    if (predicted_in(after) < all.evaluated) {
      partial += after.empty() ? 0 : 1;
      continue;
    }
    const search::Result read = run(GetParam(), store, 1);
    EXPECT_EQ(read.reused, all.evaluated);
    EXPECT_EQ(bytes(read), bytes(all));
    std::filesystem::remove(store);
    before.clear();
  }
  EXPECT_GT(partial, 0U) << "no kill came in the middle";
  const search::Result last = run(GetParam(), store, 2);
  EXPECT_EQ(bytes(last), bytes(all));
  EXPECT_EQ(last.reused, predicted_in(before)) << "a prediction was made twice";
}

INSTANTIATE_TEST_SUITE_P(Methods, ASearchThatIsKilled, testing::Values("exhaustive", "annealing", "beam"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace foreflow::search_kill_test
