// A sweep that is killed at random moments loses no finished point, repeats none, and ends with the bytes of one that
// nobody disturbed.
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

#include "foreflow/sweep/sweep.h"
#include "store/database.h"
#include "support/temporary.h"

namespace foreflow::sweep_kill_test {
namespace {

constexpr int kKills = 100;

const Json& question() {
  static const Json source = parse_json(
      R"({"workload": {"model": "mlp", "layers": 2, "hidden": [64, 128]}, "engine": "analytic",
          "platform": {"topology": "p3_8xlarge", "nodes": [1, 2, 3]},
          "strategy": {"dp": [1, 2, 3, 4], "tp": [1, 2], "global_batch": 64}})",
      "mlp.json");
  return source;
}

sweep::Result run(const std::string& store, int jobs, const std::function<void(size_t, size_t)>& finished = {}) {
  sweep::Options options;
  options.store    = store;
  options.jobs     = jobs;
  options.finished = finished;
  return sweep::sweep(question(), "mlp.json", options);
}

std::string bytes(const sweep::Result& result) { return to_json(result).dump() + to_csv(result); }

// A sweep in a process of its own, which says how many points are finished as soon as they are.
class Running {
 public:
  Running(const std::string& store, int jobs) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ends[0]);
      run(store, jobs, [&](size_t, size_t) { (void)!::write(ends[1], ".", 1); });
      ::_exit(0);
    }
    ::close(ends[1]);
    said_ = ends[0];
  }
  Running(const Running&)            = delete;
  Running& operator=(const Running&) = delete;
  ~Running() { ::close(said_); }

  // Whether it was alive.
  bool kill() {
    ::kill(pid_, SIGKILL);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
  }

  // Of the dead.
  size_t finished() const {
    size_t count = 0;
    for (char said[64];;) {
      const ssize_t some = ::read(said_, said, sizeof(said));
      if (some <= 0) return count;
      count += static_cast<size_t>(some);
    }
  }

 private:
  pid_t pid_ = -1;
  int said_  = -1;
};

using Points = std::map<std::string, std::string>;

Points points_in(const std::string& store) {
  Points points;
  store::Database database(store);
  if (database.run("SELECT name FROM sqlite_master WHERE name = 'points'").empty()) return points;  // killed that early
  for (const auto& row : database.run("SELECT point, status || answer FROM points")) {
    EXPECT_TRUE(points.emplace(row[0], row[1]).second) << row[0] << " is there twice";
  }
  return points;
}

bool contains(const Points& all, const Points& some) {
  return std::all_of(some.begin(), some.end(), [&](const auto& point) {
    const auto found = all.find(point.first);
    return found != all.end() && found->second == point.second;
  });
}

TEST(ASweepThatIsKilled, LosesAndRepeatsNothingAHundredTimesOver) {
  const test::TemporaryFolder folder;
  const std::string store                   = folder / "s.sqlite";
  const auto start                          = std::chrono::steady_clock::now();
  const sweep::Result all                   = run("", 2);
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - start;
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> moment(0, whole.count());
  int kills = 0, sweeps = 0;
  Points before;
  while (kills < kKills) {
    Running running(store, 1 + kills % 3);
    std::this_thread::sleep_for(std::chrono::duration<double>(moment(random)));
    if (running.kill()) ++kills;
    const Points after = points_in(store);
    ASSERT_TRUE(contains(after, before)) << "a point was lost or changed after " << kills << " kills";
    // A point may be in the store and the process die before it says so.
    ASSERT_GE(after.size(), before.size() + running.finished());
    before = after;
    if (after.size() < all.points.size()) continue;
    ASSERT_EQ(bytes(run(store, 1)), bytes(all));
    std::filesystem::remove(store);
    before.clear();
    ++sweeps;
  }
  ASSERT_EQ(bytes(run(store, 2)), bytes(all));
  EXPECT_GT(sweeps, 0);
}

}  // namespace
}  // namespace foreflow::sweep_kill_test
