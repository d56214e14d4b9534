// The critical path of programs whose hosts are sometimes late: it goes through what came last.
#include <gtest/gtest.h>

#include "foreflow/report/summary.h"
#include "foreflow/simulate/simulate.h"
#include "support/machine.h"
#include "support/random_streams.h"

namespace foreflow::report::host_path_test {
namespace {

using collective::Kind;
using test::ProgramWriter;

const BytesPerSecond kBandwidth(25e9);
const Seconds kLatency(2e-6);
const Bytes kBytes(1e6);
const Seconds kSent = kLatency + kBytes / kBandwidth;

struct Step {
  std::string device, what;
  double microseconds;
};
bool operator==(const Step& a, const Step& b) {
  return a.device == b.device && a.what == b.what && std::abs(a.microseconds - b.microseconds) < 1e-6;
}
void PrintTo(const Step& step, std::ostream* out) {
  *out << step.device << " " << step.what << " " << step.microseconds << " us";
}

std::vector<Step> path(const stream::Program& program, const platform::Platform& platform) {
  const auto timeline = simulate::engines().get("analytic", "test").run(program, platform);
  std::vector<Step> steps;
  for (const Segment& segment : summarise({}, program, timeline, platform).critical_path)
    steps.push_back({segment.device, segment.what, segment.seconds.value() * 1e6});
  return steps;
}

void compute(ProgramWriter& writer, int stream, int kernels, double cost, double duration) {
  writer.compute(stream, Seconds(kernels * duration * 1e-6));
  stream::Compute& compute = writer.program().computes.back();
  compute.name             = "Work" + std::to_string(writer.program().computes.size());
  compute.issue.add_kernels(kernels, Seconds(cost * 1e-6), compute.duration);
}

void send(ProgramWriter& writer, int from, int to, double cost, bool waits) {
  writer.communicate(Kind::send, {from, to}, kBytes);
  stream::Communication& send = writer.program().communications.back();
  send.name                   = "Send";
  send.issue                  = {{}, Seconds(cost * 1e-6), {}, {}, waits};
}

TEST(HostPath, IsTheHostAndTheLastKernelWhereKernelsAreShort) {
  ProgramWriter writer(1);
  compute(writer, 0, 10, 10, 4);
  EXPECT_EQ(path(writer.program(), test::star(1, kBandwidth, kLatency)),
            (std::vector<Step>{{"D1", "host", 100}, {"D1", "Work1", 4}}));
}

TEST(HostPath, IsTheDeviceWhereKernelsAreLong) {
  ProgramWriter writer(1);
  compute(writer, 0, 10, 10, 40);
  compute(writer, 0, 10, 10, 40);
  EXPECT_EQ(path(writer.program(), test::star(1, kBandwidth, kLatency)),
            (std::vector<Step>{{"D1", "host", 10}, {"D1", "Work1", 400}, {"D1", "Work2", 400}}));
}

// D1 is free at once, but its host has issued so much before that it comes last.
TEST(HostPath, GoesThroughTheMemberThatIssuesLast) {
  ProgramWriter writer(2);
  compute(writer, 0, 1, 1, 50);
  compute(writer, 1, 1, 100, 1);
  send(writer, 0, 1, 20, false);
  EXPECT_EQ(path(writer.program(), test::star(2, kBandwidth, kLatency)),
            (std::vector<Step>{{"D2", "host", 120}, {"D2", "Send", kSent.value() * 1e6}}));
}

TEST(HostPath, GoesOnWithTheMessageThatTheHostWaitedFor) {
  ProgramWriter writer(2);
  compute(writer, 0, 1, 1, 50);
  send(writer, 0, 1, 20, true);
  compute(writer, 1, 1, 30, 5);
  EXPECT_EQ(path(writer.program(), test::star(2, kBandwidth, kLatency)),
            (std::vector<Step>{{"D1", "host", 1},
                               {"D1", "Work1", 50},
                               {"D1", "Send", kSent.value() * 1e6},
                               {"D2", "host", 30},
                               {"D2", "Work2", 5}}));
}

// What another stream does begins when the hand-over is issued, though the stream before it is free.
TEST(HostPath, GoesThroughTheHostThatHandsOver) {
  ProgramWriter writer(1);
  const int other = writer.stream(0);
  compute(writer, 0, 1, 1, 5);
  writer.communicate(Kind::send, {0, other}, Bytes(0));
  writer.program().communications.back().issue = {{}, Seconds(30e-6), {}, {}, false};
  writer.compute(other, Seconds(9e-6));
  const auto found = path(writer.program(), test::star(1, kBandwidth, kLatency));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], (Step{"D1", "host", 31}));
  EXPECT_NEAR(found[1].microseconds, 9, 1e-6);
}

TEST(HostPath, AddsUpToTheMakespan) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 rng(seed);
    const auto platform = test::private_links(rng, 4);
    auto program        = test::random_streams(rng, 4);
    test::add_hosts(rng, program);
    const auto timeline = simulate::engines().get("analytic", "test").run(program, platform);
    Seconds sum;
    bool host = false;
    for (const Segment& segment : summarise({}, program, timeline, platform).critical_path) {
      sum += segment.seconds;
      host = host || segment.what == "host";
    }
    EXPECT_NEAR(sum.value(), timeline.makespan.value(), 1e-9 * timeline.makespan.value());
    EXPECT_TRUE(host);
  }
}

}  // namespace
}  // namespace foreflow::report::host_path_test
