// What both engines must say about single communications.
#include <gtest/gtest.h>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "foreflow/simulate/simulate.h"
#include "foreflow/stream/task.h"
#include "support/machine.h"

namespace foreflow::simulate::engines_test {
namespace {

using collective::Kind;
using test::ProgramWriter;
using test::star;
using test::Wiring;

const BytesPerSecond kBandwidth(25e9);
const Seconds kLatency(2e-6);
const Bytes kBytes(1e6 + 1);

class BothEngines : public testing::TestWithParam<std::string> {
 protected:
  stream::Timeline run(ProgramWriter& writer, const platform::Platform& platform) const {
    stream::verify(writer.program());
    return engines().get(GetParam(), "test").run(writer.program(), platform);
  }
};

void expect_near(Seconds actual, Seconds expected) {
  EXPECT_NEAR(actual.value(), expected.value(), 1e-9 * std::max(expected.value(), 1e-9));
}

TEST_P(BothEngines, SendCostsLatencyAndBytes) {
  ProgramWriter writer(2);
  writer.communicate(Kind::send, {0, 1}, kBytes);
  const auto timeline = run(writer, star(2, kBandwidth, kLatency));
  expect_near(timeline.makespan, kLatency + kBytes / kBandwidth);
  expect_near(timeline.records[0][0].start, Seconds(0));
  expect_near(timeline.records[1][0].end, timeline.makespan);
}

TEST_P(BothEngines, EveryCollectiveOnAStarCostsItsClosedForm) {
  for (int kind = 0; kind < collective::kKinds; ++kind) {
    for (const int ranks : {2, 3, 8, 13}) {
      const auto& algorithm = collective::default_algorithm(static_cast<Kind>(kind));
      if (static_cast<Kind>(kind) == Kind::send && ranks > 2) continue;
      SCOPED_TRACE(std::string(collective::name(static_cast<Kind>(kind))) + " of " + std::to_string(ranks));
      ProgramWriter writer(ranks);
      std::vector<int> members;
      for (int i = 0; i < ranks; ++i) members.push_back(i);
      writer.communicate(static_cast<Kind>(kind), members, kBytes);
      const auto platform = star(ranks, kBandwidth, kLatency);
      const auto task     = stream::place(platform, algorithm, static_cast<Kind>(kind), kBytes, members).task;
      expect_near(run(writer, platform).makespan, closed_form(algorithm, task).total());
    }
  }
}

TEST_P(BothEngines, PipelineOverUnequalLinksRunsAtTheSlowestAndFillsAtEach) {
  const std::vector<BytesPerSecond> bandwidths = {BytesPerSecond(10e9), BytesPerSecond(2e9), BytesPerSecond(5e9)};
  Wiring wiring(4);
  for (int i = 0; i < 3; ++i) wiring.route(i, i + 1, {wiring.link(nth(bandwidths, i), kLatency)});
  ProgramWriter writer(4);
  writer.communicate(Kind::broadcast, {0, 1, 2, 3}, kBytes);
  const auto timeline = run(writer, wiring.platform());
  const auto& chain   = collective::algorithms().get("chain", "test");
  const auto task     = stream::place(wiring.platform(), chain, Kind::broadcast, kBytes, {0, 1, 2, 3}).task;
  const int chunks    = chain.plan(task).chunks;
  const Bytes chunk   = kBytes / chunks;
  const Seconds fill  = chunk / bandwidths[0] + chunk / bandwidths[2];  // the slowest hop is part of the flow
  expect_near(timeline.makespan, (chunks + 2) * kLatency + fill + kBytes / bandwidths[1]);
}

TEST_P(BothEngines, StragglerDelaysTheCollectiveOfAll) {
  ProgramWriter writer(4);
  for (int i = 0; i < 4; ++i) writer.compute(i, Seconds(i == 2 ? 3e-3 : 1e-3));
  writer.communicate(Kind::all_reduce, {0, 1, 2, 3}, kBytes);
  for (int i = 0; i < 4; ++i) writer.compute(i, Seconds(1e-3));
  const auto timeline = run(writer, star(4, kBandwidth, kLatency));
  const Seconds ring  = 6 * (kLatency + kBytes / 4 / kBandwidth);
  for (int i = 0; i < 4; ++i) {
    const auto& records = nth(timeline.records, i);
    expect_near(records[1].start, Seconds(3e-3));
    expect_near(records[1].end, Seconds(3e-3) + ring);
    expect_near(records[2].end, Seconds(4e-3) + ring);
  }
}

TEST_P(BothEngines, CommunicationStreamRunsBesideTheComputeStream) {
  ProgramWriter writer(2);
  const int first = writer.stream(0), second = writer.stream(1);
  for (const int device : {0, 1}) writer.compute(device, Seconds(5e-3));
  writer.communicate(Kind::all_reduce, {first, second}, kBytes);
  const auto timeline = run(writer, star(2, kBandwidth, kLatency));
  expect_near(nth(timeline.records, first)[0].start, Seconds(0));
  expect_near(nth(timeline.records, first)[0].end, 2 * (kLatency + kBytes / 2 / kBandwidth));
  expect_near(timeline.makespan, Seconds(5e-3));
}

TEST_P(BothEngines, MessageBetweenStreamsOfOneDeviceIsFree) {
  ProgramWriter writer(1);
  const int stream = writer.stream(0);
  writer.compute(0, Seconds(1e-3)).communicate(Kind::send, {0, stream}, kBytes).compute(stream, Seconds(1e-3));
  expect_near(run(writer, star(1, kBandwidth, kLatency)).makespan, Seconds(2e-3));
}

TEST_P(BothEngines, FixedDurationIgnoresTheNetwork) {
  ProgramWriter writer(2);
  writer.compute(1, Seconds(1e-3)).communicate(Kind::send, {0, 1}, kBytes, Seconds(7e-3));
  const auto timeline = run(writer, Wiring(2).platform());  // not even a route
  expect_near(timeline.records[0][0].start, Seconds(1e-3));
  expect_near(timeline.makespan, Seconds(8e-3));
}

TEST_P(BothEngines, EmptyMessageCostsItsLatency) {
  ProgramWriter writer(2);
  writer.communicate(Kind::send, {0, 1}, Bytes(0));
  expect_near(run(writer, star(2, kBandwidth, kLatency)).makespan, kLatency);
}

TEST_P(BothEngines, LinksKnowWhatTheyCarriedAndHowLong) {
  ProgramWriter writer(3);
  writer.communicate(Kind::all_reduce, {0, 1, 2}, kBytes)
      .compute(0, Seconds(1))
      .communicate(Kind::send, {0, 1}, kBytes);
  const auto timeline = run(writer, star(3, kBandwidth, kLatency));
  const auto& up      = timeline.links[0];  // device 0
  EXPECT_NEAR(up.bytes.value(), kBytes.value() * (4.0 / 3 + 1), 1e-6);
  EXPECT_NEAR(up.busy.value(), (kBytes / kBandwidth).value() * (4.0 / 3 + 1), 1e-12);
  EXPECT_NEAR(timeline.links[1].bytes.value(), kBytes.value() * 4 / 3, 1e-6);  // down to device 0
}

TEST_P(BothEngines, RefuseMembersWithoutARoute) {
  ProgramWriter writer(2);
  writer.communicate(Kind::send, {0, 1}, kBytes);
  try {
    run(writer, Wiring(2).platform());
    FAIL() << "there is no route";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "Do_send: platform wiring has no route from gpu0 to gpu1; add one");
  }
}

TEST_P(BothEngines, EmptyProgramTakesNoTime) {
  ProgramWriter writer(0);
  expect_near(run(writer, star(1, kBandwidth, kLatency)).makespan, Seconds(0));
}

INSTANTIATE_TEST_SUITE_P(Engines, BothEngines, testing::ValuesIn(engines().names()),
                         [](const auto& row) { return row.param; });

}  // namespace
}  // namespace foreflow::simulate::engines_test
