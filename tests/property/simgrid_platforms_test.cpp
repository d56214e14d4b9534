// What runs on the platform files that SimGrid ships: an all-reduce over all hosts takes as long as with SimGrid's own
// communications, and a data-parallel training step runs.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "foreflow/platform/load.h"
#include "foreflow/scenario/run.h"
#include "foreflow/simulate/alone.h"
#include "support/shared.h"
#include "support/temporary.h"

namespace foreflow::platform::simgrid_platforms_test {
namespace {

// Of a ring over all devices; false where the file leaves two neighbours without a route, as SimGrid would refuse.
bool is_ring(const Platform& platform) {
  const auto devices = static_cast<int>(platform.devices().size());
  for (int i = 0; i < devices; ++i) {
    if (devices > 1 &&
        (!platform.route(i, (i + 1) % devices).exists() || !platform.route((i + 1) % devices, i).exists()))
      return false;
  }
  return devices > 1;
}

std::vector<std::string> files(const std::filesystem::path& folder) {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".xml" && entry.path().filename() != "wifi.xml")
      all.push_back(entry.path().string());
  }
  std::sort(all.begin(), all.end());
  return all;
}

Seconds time_of(const Platform& platform, const collective::AlgorithmDef& algorithm, collective::Kind kind,
                const std::string& engine) {
  std::vector<int> places;
  for (size_t i = 0; i < platform.devices().size(); ++i) places.push_back(static_cast<int>(i));
  return simulate::run_alone(platform, algorithm, kind, Bytes(1e6), places, simulate::engines().get(engine, "test"))
      .time;
}

void expect_times_of_simgrid(const Platform& platform, const collective::AlgorithmDef& algorithm,
                             collective::Kind kind) {
  const Seconds ours   = time_of(platform, algorithm, kind, "simgrid"),
                theirs = time_of(platform, algorithm, kind, "simgrid_flows");
  EXPECT_NEAR(ours.value(), theirs.value(), 1e-9 * theirs.value()) << algorithm.name;
  EXPECT_GT(ours.value(), 0) << algorithm.name;
}

// Whether a message may go from every device to every other, as an all-to-all sends it.
bool joins_all(const Platform& platform) {
  const auto devices = static_cast<int>(platform.devices().size());
  for (int a = 0; a < devices; ++a) {
    for (int b = 0; b < devices; ++b) {
      if (a != b && !platform.route(a, b).exists()) return false;
    }
  }
  return devices > 1;
}

TEST(SimgridPlatforms, CarryAnAllReduceAsLongAsSimgridsOwnCommunications) {
  FOREFLOW_SHARED_OR_SKIP(folder, "platforms/simgrid");
  int compared = 0;
  for (const std::string& file : files(folder)) {
    const Platform platform = load_file(file);
    if (!is_ring(platform)) continue;
    SCOPED_TRACE(file);
    expect_times_of_simgrid(platform, collective::algorithms().get("ring", "test"), collective::Kind::all_reduce);
    ++compared;
  }
  EXPECT_GE(compared, 13);
}

// By every algorithm that takes any number of devices.
TEST(SimgridPlatforms, CarryCollectivesOfEveryKindAsLongAsSimgridsOwnCommunications) {
  FOREFLOW_SHARED_OR_SKIP(folder, "platforms/simgrid");
  constexpr size_t kMost = 64;  // SimGrid's own communications take seconds beyond
  std::set<std::string> compared, kinds;
  for (const std::string& file : files(folder)) {
    const Platform platform = load_file(file);
    if (platform.devices().size() > kMost || !joins_all(platform)) continue;
    SCOPED_TRACE(file);
    compared.insert(file);
    for (const collective::KindDef& kind : collective::kinds()) {
      SCOPED_TRACE(kind.name);
      for (const std::string name : {"ring", "tree", "direct", "chain", "binomial"}) {
        const collective::AlgorithmDef& algorithm = collective::algorithms().get(name, "test");
        if (kind.kind == collective::Kind::send || !algorithm.does(kind.kind)) continue;
        expect_times_of_simgrid(platform, algorithm, kind.kind);
        kinds.insert(std::string(kind.name));
      }
    }
  }
  EXPECT_GE(compared.size(), 10u);
  EXPECT_EQ(kinds.size(), 9u) << "all but single messages";
}

// What a process of its own needs, the best of three: 0, or what it has too much of.
enum class Excess : uint8_t { none, time, memory };

Excess load_in_child(const std::string& file) {
  constexpr double kMostSeconds = 0.05;
  constexpr long kMostKilobytes = 50'000;
  const auto now                = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return std::pair{static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
                     usage.ru_maxrss};
  };
  const pid_t child = fork();
  if (child == 0) {
    const long before = now().second;
    double best       = kMostSeconds;
    for (int i = 0; i < 3; ++i) {
      const double start = now().first;
      load_file(file);
      best = std::min(best, now().first - start);
    }
    const bool large = now().second - before >= kMostKilobytes;
    _exit(static_cast<int>(best >= kMostSeconds ? Excess::time : large ? Excess::memory : Excess::none));
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  return static_cast<Excess>(WEXITSTATUS(status));
}

TEST(SimgridPlatforms, LoadInFiftyMillisecondsAndFiftyMegabytes) {
  const test::TemporaryFolder folder;
  const std::string cluster = folder / "cluster.xml";
  std::ofstream(cluster) << "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform "
                            "version=\"4.1\">\n<cluster id=\"c\" prefix=\"n-\" suffix=\".x\" radical=\"0-16383\" "
                            "speed=\"1Gf\" bw=\"125MBps\" lat=\"50us\" bb_bw=\"10GBps\" bb_lat=\"10us\"/>\n"
                            "</platform>\n";
  EXPECT_EQ(load_file(cluster).devices().size(), 16384u);
  EXPECT_EQ(load_in_child(cluster), Excess::none);
  FOREFLOW_SHARED_OR_SKIP(shared, "platforms/simgrid");
  EXPECT_EQ(load_in_child(shared / "g5k.xml"), Excess::none);
}

scenario::Outcome training_step(const std::string& file, int ranks) {
  const Json json = parse_json(
      fmt::format(
          R"({{"workload": {{"model": "mlp", "layers": 2, "hidden": 64, "dtype": "f32", "mode": "training", "optimizer": "sgd"}},
                      "platform": {{"file": "{1}"}}, "strategy": {{"dp": {0}, "global_batch": {0}}}}})",
          ranks, file),
      "test.json");
  return scenario::run(scenario::load(json, "test.json"));
}

std::string refusal_of(const std::string& file, int ranks) {
  try {
    training_step(file, ranks);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Hosts "a" and "b", of which `b` is what it says.
std::string file_of_two(const test::TemporaryFolder& folder, const std::string& b, const std::string& after) {
  std::string path = folder / "two.xml";
  std::ofstream(path) << "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n"
                         "<trace id=\"never\" periodicity=\"-1\">0 0</trace>\n<zone id=\"z\" routing=\"Full\"><host "
                         "id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\""
                      << b
                      << "\"/><link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/><route src=\"a\" dst=\"b\"><link_ctn "
                         "id=\"l\"/></route></zone>\n"
                      << after << "</platform>\n";
  return path;
}

TEST(SimgridPlatforms, CarryADataParallelTrainingStep) {
  FOREFLOW_SHARED_OR_SKIP(folder, "platforms/simgrid");
  for (const std::string& file : files(folder)) {
    const Platform platform = load_file(file);
    const int ranks         = is_ring(platform) ? static_cast<int>(platform.devices().size()) : 1;
    SCOPED_TRACE(file);
    const scenario::Outcome outcome = training_step(file, ranks);
    EXPECT_GT(outcome.summary.iteration_time.value(), 0);
    EXPECT_EQ(outcome.summary.assumed.size(), 1u);
  }
}

// SimGrid's own files leave hosts apart: a step over all of them is refused with two of them and the file.
TEST(SimgridPlatforms, SayWhichHostsHaveNoRoute) {
  FOREFLOW_SHARED_OR_SKIP(folder, "platforms/simgrid");
  for (const std::string name : {"faulty_host", "prop", "small_platform_fatpipe"}) {
    const std::string file   = folder / (name + ".xml");
    const Platform platform  = load_file(file);
    const std::string answer = refusal_of(file, static_cast<int>(platform.devices().size()));
    int named                = 0;
    for (size_t i = 0; i < platform.devices().size(); ++i) {
      for (size_t j = 0; j < platform.devices().size(); ++j) {
        const std::string pair = "platform " + file + " has no route from " + platform.devices()[i].name + " to " +
                                 platform.devices()[j].name + "; add one";
        if (!answer.ends_with(pair)) continue;
        EXPECT_FALSE(platform.route(static_cast<int>(i), static_cast<int>(j)).exists());
        ++named;
      }
    }
    EXPECT_EQ(named, 1) << answer;
  }
}

TEST(SimgridPlatforms, SayWhichHostNeverComputes) {
  const test::TemporaryFolder folder;
  const std::string slow = file_of_two(folder, "1Gf", "<trace_connect trace=\"never\" element=\"b\" kind=\"SPEED\"/>");
  const std::string tail = " for good from 0 s on; let its profile end above 0 or repeat";
  EXPECT_EQ(refusal_of(slow, 2), slow + ":5:1: host \"b\" has work left and is at speed 0" + tail);
  const std::string off = file_of_two(folder, "1Gf", "<trace_connect trace=\"never\" element=\"b\"/>");
  EXPECT_EQ(refusal_of(off, 2), off + ":5:1: host \"b\" has work left and is off" + tail);
}

TEST(SimgridPlatforms, SayThatTheyHaveTooFewHostsThatCompute) {
  const test::TemporaryFolder folder;
  const std::string battery = file_of_two(folder, "0f", "");
  EXPECT_GT(training_step(battery, 1).summary.iteration_time.value(), 0);
  EXPECT_NE(refusal_of(battery, 2).find("are more than the 1 of " + battery), std::string::npos)
      << refusal_of(battery, 2);
}

}  // namespace
}  // namespace foreflow::platform::simgrid_platforms_test
