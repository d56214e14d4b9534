// The host issues one thing after the other, and nothing starts before it is issued.
#include <gtest/gtest.h>

#include "foreflow/simulate/simulate.h"
#include "foreflow/stream/share.h"
#include "support/machine.h"

namespace foreflow::simulate::host_test {
namespace {

using collective::Kind;
using stream::Issue;
using test::ProgramWriter;
using test::star;

const BytesPerSecond kBandwidth(25e9);
const Seconds kLatency(2e-6);

Issue kernels(int count, Seconds cost, Seconds duration) {
  Issue issue;
  issue.add_kernels(count, cost, count * duration);
  return issue;
}

class HostOnEngine : public testing::TestWithParam<std::string> {
 protected:
  stream::Timeline run(ProgramWriter& writer, const platform::Platform& platform) const {
    stream::verify(writer.program());
    return engines().get(GetParam(), "test").run(writer.program(), platform);
  }
  static ProgramWriter& compute(ProgramWriter& writer, int stream, Seconds duration, const Issue& issue) {
    writer.compute(stream, duration);
    writer.program().computes.back().issue = issue;
    return writer;
  }
  static void issue_last(ProgramWriter& writer, Seconds cost, bool waits = false) {
    writer.program().communications.back().issue = {{}, cost, {}, {}, waits};
  }
};

void expect_near(Seconds actual, Seconds expected) {
  EXPECT_NEAR(actual.value(), expected.value(), 1e-12 + 1e-9 * expected.value());
}

TEST_P(HostOnEngine, ShortKernelsTakeWhatTheHostNeedsAndTheLastOne) {
  const Seconds cost(10e-6), duration(4e-6);
  ProgramWriter writer(1);
  compute(writer, 0, 100 * duration, kernels(100, cost, duration));
  const auto timeline = run(writer, star(1, kBandwidth, kLatency));
  expect_near(timeline.records[0][0].start, cost);
  expect_near(timeline.makespan, 100 * cost + duration);
}

TEST_P(HostOnEngine, LongKernelsHideTheHostButForTheFirst) {
  const Seconds cost(10e-6), duration(40e-6);
  ProgramWriter writer(1);
  compute(writer, 0, 100 * duration, kernels(100, cost, duration));
  expect_near(run(writer, star(1, kBandwidth, kLatency)).makespan, cost + 100 * duration);
}

// The host is 50 kernels ahead after the long ones, which the short ones then use up.
TEST_P(HostOnEngine, TheHostRunsAheadUnderLongKernels) {
  const Seconds cost(10e-6), duration(20e-6);
  ProgramWriter writer(1);
  compute(writer, 0, 50 * duration, kernels(50, cost, duration));
  compute(writer, 0, 40 * Seconds(1e-6), kernels(40, cost, Seconds(1e-6)));
  expect_near(run(writer, star(1, kBandwidth, kLatency)).makespan, cost + 50 * duration + 40 * Seconds(1e-6));
}

TEST_P(HostOnEngine, ACommunicationBeginsWhenItsLastMemberHasIssuedIt) {
  const Bytes bytes(1e6);
  ProgramWriter writer(2);
  compute(writer, 0, Seconds(1e-6), kernels(1, Seconds(5e-6), Seconds(1e-6)));
  writer.communicate(Kind::send, {0, 1}, bytes);
  issue_last(writer, Seconds(35e-6));
  const auto timeline = run(writer, star(2, kBandwidth, kLatency));
  expect_near(timeline.records[0][1].start, Seconds(40e-6));
  expect_near(timeline.makespan, Seconds(40e-6) + kLatency + bytes / kBandwidth);
}

TEST_P(HostOnEngine, AHostThatWaitsIssuesNothingBeforeTheMessageHasEnded) {
  const Bytes bytes(1e6);
  const Seconds cost(10e-6), duration(50e-6), sent = kLatency + bytes / kBandwidth;
  for (const bool waits : {false, true}) {
    ProgramWriter writer(2);
    writer.communicate(Kind::send, {0, 1}, bytes);
    issue_last(writer, cost, waits);
    compute(writer, 1, duration, kernels(1, cost, duration));
    expect_near(run(writer, star(2, kBandwidth, kLatency)).makespan,
                cost + sent + (waits ? cost : Seconds(0)) + duration);
  }
}

TEST_P(HostOnEngine, AComputeThatWaitsIsIssuedWhenItsStreamIsIdle) {
  const Seconds duration(1e-3), cost(2e-4);
  ProgramWriter writer(1);
  writer.compute(0, duration);
  Issue issue = kernels(1, cost, duration);
  issue.waits = true;
  compute(writer, 0, duration, issue);
  expect_near(run(writer, star(1, kBandwidth, kLatency)).makespan, 2 * duration + cost);
}

// The stream that hands over goes on at once, with what is issued next.
TEST_P(HostOnEngine, AHandOverReachesTheOtherStreamWhenItIsIssued) {
  const Seconds cost(30e-6);
  for (const Seconds duration : {Seconds(10e-6), Seconds(50e-6)}) {
    ProgramWriter writer(1);
    const int other = writer.stream(0);
    writer.compute(0, duration).communicate(Kind::send, {0, other}, Bytes(1e6));
    issue_last(writer, cost);
    writer.compute(0, duration).compute(other, duration);
    const auto timeline = run(writer, star(1, kBandwidth, kLatency));
    expect_near(timeline.records[0][1].end, duration);
    expect_near(timeline.records[0].back().end, std::max(cost, duration) + duration);
    expect_near(timeline.records[1].back().end, std::max(cost, duration) + duration);
  }
}

TEST_P(HostOnEngine, StartingACommunicationIsAddedToItsClosedForm) {
  ProgramWriter writer(2);
  writer.communicate(Kind::send, {0, 1}, Bytes(1e6));
  writer.program().communications.back().start = Seconds(0.1e-3);
  expect_near(run(writer, star(2, kBandwidth, kLatency)).makespan,
              Seconds(0.1e-3) + kLatency + Bytes(1e6) / kBandwidth);
}

INSTANTIATE_TEST_SUITE_P(All, HostOnEngine, testing::Values("analytic", "simgrid", "simgrid_flows"),
                         [](const auto& one) { return one.param; });

TEST(HostTimes, WaitsAddUpToTheTimeThatTheDeviceDoesNotCompute) {
  const Seconds cost(10e-6), duration(4e-6);
  ProgramWriter writer(1);
  for (int i = 0; i < 2; ++i) {
    writer.compute(0, 10 * duration);
    writer.program().computes.back().issue = kernels(10, cost, duration);
  }
  const auto platform = star(1, kBandwidth, kLatency);
  const auto timeline = engines().get("analytic", "test").run(writer.program(), platform);
  ASSERT_EQ(timeline.issued.size(), 1u);
  const auto& items = timeline.issued[0];
  Seconds waited;
  for (const auto& item : items) waited += item.idle + item.inside;
  expect_near(waited + 20 * duration, timeline.makespan);
  expect_near(items[0].idle, cost);
  expect_near(items[0].inside, 9 * (cost - duration));
  expect_near(items[1].from, 10 * cost);
  expect_near(items[1].until, 20 * cost);
}

// A device at half speed: of 10 long kernels only the first waits, 10 short ones wait for 9 launches.
TEST(HostTimes, ASlowDeviceIsNoWaitForTheHost) {
  const Seconds cost(10e-6);
  for (const Seconds duration : {Seconds(20e-6), Seconds(4e-6)}) {
    ProgramWriter writer(1);
    writer.compute(0, 10 * duration);
    writer.program().computes.back().issue = kernels(10, cost, duration);
    Options options;
    options.disturbances.slowdowns = {{0, 2}};
    const auto timeline =
        engines().get("analytic", "test").run(writer.program(), star(1, kBandwidth, kLatency), options);
    const Seconds slow = 2 * duration, each = std::max(cost, slow);
    expect_near(timeline.makespan, cost + 9 * each + slow);
    expect_near(timeline.issued[0][0].idle, cost);
    expect_near(timeline.issued[0][0].inside, 9 * (each - slow));
  }
}

TEST(HostTimes, AHostOfALateJobBeginsWithIt) {
  const Seconds cost(10e-6), duration(4e-6), late(1e-3);
  ProgramWriter writer(1);
  writer.compute(0, 10 * duration);
  writer.program().computes.back().issue = kernels(10, cost, duration);
  const stream::Shared shared            = stream::share({{"late", writer.program(), late}});
  const auto timeline                    = stream::without_waits(
                         shared, engines().get("analytic", "test").run(shared.program, star(1, kBandwidth, kLatency)));
  expect_near(timeline.makespan, late + 10 * cost + duration);
  ASSERT_EQ(timeline.issued[0].size(), 1u);
  expect_near(timeline.issued[0][0].from, late);
  expect_near(timeline.issued[0][0].idle, cost);
  expect_near(timeline.issued[0][0].inside, 9 * (cost - duration));
}

TEST(HostTimes, AreNoneWhereNothingCostsTime) {
  ProgramWriter writer(1);
  writer.compute(0, Seconds(1));
  EXPECT_TRUE(engines().get("analytic", "test").run(writer.program(), star(1, kBandwidth, kLatency)).issued.empty());
}

}  // namespace
}  // namespace foreflow::simulate::host_test
