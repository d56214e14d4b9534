// Hosts with other CPUs: all that they issue takes as much longer as one thread does, on every CPU of the table.
#include <gtest/gtest.h>

#include <string>

#include "foreflow/platform/cpu.h"
#include "foreflow/scenario/run.h"

namespace foreflow::host_cpus_test {
namespace {

constexpr double kKernel = 40, kMessage = 70, kMicrobatch = 900, kStep = 500;  // us

std::string times(double longer, const std::string& more) {
  const auto text = [&](const char* key, double time) {
    return std::string("\"") + key + "\": \"" + std::to_string(time * longer) + "us\", ";
  };
  return "{" + text("kernel", kKernel) + text("message", kMessage) + text("collective", kMessage) +
         text("call", kMessage) + text("microbatch", kMicrobatch) + text("step", kStep) +
         "\"wait_for_gradients\": true" + more + "}";
}

struct Answer {
  double time;
  std::vector<std::string> assumed;
};

Answer answer(const std::string& platform, const std::string& host, const std::string& engine = "analytic") {
  const std::string text = R"({"workload": {"model": "gpt", "layers": 4, "hidden": 64, "heads": 4, "sequence": 32,
      "vocabulary": 128}, "platform": )" +
                           platform +
                           R"(, "strategy": {"dp": 2, "tp": 2, "pp": 2, "microbatches": 2, "global_batch": 4},
      "host": )" + host + R"(, "engine": ")" +
                           engine + "\"}";
  const auto summary = scenario::run(scenario::load(parse_json(text, "host.json"), "host.json")).summary;
  return {summary.iteration_time.value(), summary.assumed};
}

std::string with_cpu(const std::string& cpu) { return R"({"topology": "dgx_a100", "cpu": )" + cpu + "}"; }

class EveryCpu : public testing::TestWithParam<std::string> {};

TEST_P(EveryCpu, IssuesInTheTimesOfAnotherByTheirRatings) {
  const platform::Cpu reference = platform::cpu_named("EPYC-7742", "test");
  const platform::Cpu here      = platform::cpu_named(GetParam(), "test");
  const double longer           = platform::time_ratio(here, reference);
  const Answer scaled           = answer(with_cpu("\"" + GetParam() + "\""), times(1, R"(, "cpu": "EPYC-7742")"));
  const Answer stated           = answer(with_cpu("\"" + GetParam() + "\""), times(longer, ""));
  EXPECT_NEAR(scaled.time, stated.time, 1e-6 * stated.time);  // times are written with six digits
  EXPECT_EQ(scaled.assumed.size(), longer == 1 ? stated.assumed.size() : stated.assumed.size() + 1);
}

INSTANTIATE_TEST_SUITE_P(Cpus, EveryCpu, testing::ValuesIn(platform::cpus().names()), [](const auto& info) {
  std::string name = info.param;
  for (char& letter : name) letter = std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  return name;
});

TEST(HostCpus, ChangeNothingWhereTheTimesNameNone) {
  EXPECT_EQ(answer(with_cpu("1000"), times(1, "")).time, answer(with_cpu("4000"), times(1, "")).time);
}

TEST(HostCpus, ThatAreUnknownAreAsFastAndSaid) {
  const std::string file = R"({"topology": "mi300x"})", known = R"({"topology": "mi300x", "cpu": "EPYC-7742"})";
  const std::string host = times(1, R"(, "cpu": "EPYC-7742")");
  const Answer unknown   = answer(file, host);
  EXPECT_EQ(unknown.time, answer(known, host).time);
  bool said = false;
  for (const std::string& one : unknown.assumed) said = said || one.find("unknown CPU") != std::string::npos;
  EXPECT_TRUE(said);
}

// One replica in a server with slow hosts, one in a server with fast ones: both wait for the slow ones at the sum of
// the gradients, so nothing is gained by the fast ones while the host decides.
TEST(HostCpus, OfUnequalServersHaveTheirOwnTimes) {
  const auto mixed = [](const std::string& one, const std::string& other) {
    const auto part = [](const std::string& cpu) {
      return R"({"topology": "dgx_a100", "nodes": 1, "gpus_per_node": 4, "cpu": )" + cpu + "}";
    };
    return R"({"parts": [)" + part(one) + ", " + part(other) + "]}";
  };
  const std::string host = times(1, R"(, "cpu": 2000)");
  const double slow      = answer(mixed("1000", "1000"), host, "simgrid").time;
  const double fast      = answer(mixed("4000", "4000"), host, "simgrid").time;
  const double both      = answer(mixed("1000", "4000"), host, "simgrid").time;
  EXPECT_LT(fast, both);
  EXPECT_LE(both, slow);
  EXPECT_GT(both, 0.9 * slow);
}

}  // namespace
}  // namespace foreflow::host_cpus_test
