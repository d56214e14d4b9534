// Slow devices, noise, links that change and traffic of others; every expected time is worked out by hand.
#include <gtest/gtest.h>

#include "foreflow/base/error.h"
#include "foreflow/base/json.h"
#include "foreflow/simulate/disturbance_kind.h"
#include "foreflow/simulate/simulate.h"
#include "support/machine.h"

namespace foreflow::simulate::disturbance_test {
namespace {

using collective::Kind;
using test::ProgramWriter;
using test::Wiring;

const Bytes kBytes(1e6);
const BytesPerSecond kBandwidth(1e6);  // so that kBytes take a second

stream::Timeline run(ProgramWriter& writer, const platform::Platform& platform, const Disturbances& disturbances,
                     std::string_view engine = "simgrid") {
  Options options;
  options.disturbances = disturbances;
  return engines().get(engine, "test").run(writer.program(), platform, options);
}

// 0 sends to 1 and 2 to 3, over one link.
platform::Platform two_senders() {
  Wiring wiring(4);
  const int link = wiring.link(kBandwidth);
  return wiring.route(0, 1, {link}).route(2, 3, {link}).platform();
}

class EveryEngine : public testing::TestWithParam<std::string> {};

TEST_P(EveryEngine, SlowDeviceTakesAsManyTimesAsLong) {
  ProgramWriter writer(2);
  writer.compute(0, Seconds(2)).compute(1, Seconds(2));
  const auto timeline = run(writer, Wiring(2).platform(), {.slowdowns = {{1, 3}}}, GetParam());
  EXPECT_DOUBLE_EQ(timeline.records[0][0].end.value(), 2);
  EXPECT_DOUBLE_EQ(timeline.records[1][0].end.value(), 6);
}

TEST_P(EveryEngine, SlowdownTouchesThePartOfAComputeThatFallsInside) {
  ProgramWriter writer(1);
  writer.compute(0, Seconds(4)).compute(0, Seconds(1));
  // Half a second at full speed, two at half the speed do one, then 2.5 are left.
  const auto timeline =
      run(writer, Wiring(1).platform(), {.slowdowns = {{0, 2, Seconds(0.5), Seconds(2.5)}}}, GetParam());
  EXPECT_DOUBLE_EQ(timeline.records[0][0].end.value(), 5);
  EXPECT_DOUBLE_EQ(timeline.records[0][1].end.value(), 6);
}

TEST_P(EveryEngine, OverlappingSlowdownsMultiply) {
  ProgramWriter writer(1);
  writer.compute(0, Seconds(4));
  // [0, 1): half the speed does 0.5; [1, 3): a sixth does 1/3; [3, ...): a third for the other 19/6.
  const auto timeline = run(writer, Wiring(1).platform(),
                            {.slowdowns = {{0, 2, Seconds(0), Seconds(3)}, {0, 3, Seconds(1)}}}, GetParam());
  EXPECT_NEAR(timeline.makespan.value(), 3 + 3 * 19.0 / 6, 1e-12);
}

TEST_P(EveryEngine, JitterStaysInItsBoundsAndRepeats) {
  ProgramWriter writer(2);
  for (int i = 0; i < 100; ++i) writer.compute(0, Seconds(1)).compute(1, Seconds(1));
  const Disturbances noise{.jitter = {0.1, 7}};
  const auto first = run(writer, Wiring(2).platform(), noise, GetParam());
  const auto again = run(writer, Wiring(2).platform(), noise, GetParam());
  const auto other = run(writer, Wiring(2).platform(), {.jitter = {0.1, 8}}, GetParam());
  double sum       = 0;
  for (const stream::Record& record : first.records[0]) {
    const double took = (record.end - record.start).value();
    EXPECT_GT(took, 0.9 - 1e-12);
    EXPECT_LT(took, 1.1 + 1e-12);
    sum += took;
  }
  EXPECT_NEAR(sum, 100, 3);  // 5 standard deviations of 100 uniform draws of width 0.2
  EXPECT_EQ(first.makespan, again.makespan);
  EXPECT_NE(first.makespan, other.makespan);
  EXPECT_NE(first.records[0].back().end, first.records[1].back().end);
}

INSTANTIATE_TEST_SUITE_P(Engines, EveryEngine, testing::ValuesIn(engines().names()),
                         [](const auto& row) { return row.param; });

class EngineWithLinks : public testing::TestWithParam<std::string> {};

TEST_P(EngineWithLinks, DegradedLinkSlowsFlowsFromThenOn) {
  ProgramWriter writer(4);
  writer.communicate(Kind::send, {0, 1}, 2 * kBytes);
  // One second at full speed moves half, then a quarter of the speed until 3 s, then twice the speed.
  const auto timeline = run(writer, two_senders(), {.links = {{0, {{Seconds(1), 0.25}, {Seconds(3), 2}}}}}, GetParam());
  EXPECT_NEAR(timeline.makespan.value(), 3.25, 1e-9);
}

TEST_P(EngineWithLinks, FlowsWaitWhileALinkIsDown) {
  ProgramWriter writer(4);
  writer.communicate(Kind::send, {0, 1}, kBytes).communicate(Kind::send, {2, 3}, kBytes);
  // Both have moved a quarter at 0.5 s; the link is back at 5 s.
  const auto timeline = run(writer, two_senders(), {.links = {{0, {{Seconds(0.5), 0}, {Seconds(5), 1}}}}}, GetParam());
  EXPECT_NEAR(timeline.records[0][0].end.value(), 6.5, 1e-9);
  EXPECT_NEAR(timeline.records[2][0].end.value(), 6.5, 1e-9);
}

// A message over a link of one second's latency.
platform::Platform long_way(bool fat) {
  Wiring wiring(2);
  const int link                    = wiring.link(kBandwidth, Seconds(1));
  const platform::Platform made     = wiring.route(0, 1, {link}).platform();
  std::vector<platform::Link> links = made.links();
  links[0].fat                      = fat;
  return {made.name(), made.devices(), links, [made](int from, int to) { return made.route(from, to); }};
}

TEST_P(EngineWithLinks, MessagesTakeTheLatencyOfTheMomentWhenTheyBegin) {
  ProgramWriter writer(2);
  for (int i = 0; i < 3; ++i) writer.communicate(Kind::send, {0, 1}, kBytes);
  LinkStep longer{Seconds(2)}, shorter{Seconds(4)};
  longer.latency      = Seconds(3);
  shorter.latency     = Seconds(0.5);
  const auto timeline = run(writer, long_way(false), {.links = {{0, {longer, shorter}}}}, GetParam());
  EXPECT_NEAR(timeline.records[0][0].end.value(), 1 + 1, 1e-9);
  EXPECT_NEAR(timeline.records[0][1].end.value(), 2 + 3 + 1, 1e-9);
  EXPECT_NEAR(timeline.records[0][2].end.value(), 6 + 0.5 + 1, 1e-9);
}

TEST_P(EngineWithLinks, FatPipesChangeForMessagesUnderWay) {
  ProgramWriter writer(2);
  writer.communicate(Kind::send, {0, 1}, kBytes);
  // From 1 s on half of it in 0.5 s, nothing until 3 s, and the rest at double speed.
  const auto timeline = run(writer, long_way(true), {.links = {{0, {{Seconds(1.5), 0}, {Seconds(3), 2}}}}}, GetParam());
  EXPECT_NEAR(timeline.makespan.value(), 3.25, 1e-9);
}

TEST_P(EngineWithLinks, BackgroundTrafficTakesAShare) {
  ProgramWriter writer(4);
  writer.communicate(Kind::send, {0, 1}, kBytes);
  Background other{2, 3, Bytes(0.25e6)};
  other.first = Seconds(0.5);
  // Half alone; the other flow takes half a second for its quarter at half the bandwidth; then the last quarter alone.
  EXPECT_NEAR(run(writer, two_senders(), {.background = {other}}, GetParam()).makespan.value(), 1.25, 1e-9);
}

TEST_P(EngineWithLinks, BackgroundTrafficKeepsItsLimit) {
  ProgramWriter writer(4);
  writer.communicate(Kind::send, {0, 1}, kBytes);
  Background endless{2, 3, Bytes(std::numeric_limits<double>::infinity())};
  endless.limit = 0.2 * kBandwidth;
  EXPECT_NEAR(run(writer, two_senders(), {.background = {endless}}, GetParam()).makespan.value(), 1.25, 1e-9);
}

TEST_P(EngineWithLinks, BackgroundTrafficRepeatsUntilItsEnd) {
  ProgramWriter writer(4);
  writer.communicate(Kind::send, {0, 1}, 2 * kBytes);
  Background other{2, 3, Bytes(0.1e6)};
  other.first  = Seconds(0.5);
  other.period = Seconds(0.5);
  other.until  = Seconds(1.2);
  // At 0.5 s and at 1 s a flow of 0.1 s of the link, each of which costs ours 0.1 s; at 1.5 s there is none.
  EXPECT_NEAR(run(writer, two_senders(), {.background = {other}}, GetParam()).makespan.value(), 2.2, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Engines, EngineWithLinks, testing::Values("simgrid", "simgrid_flows"),
                         [](const auto& row) { return row.param; });

std::string message_of(ProgramWriter& writer, const Disturbances& disturbances, std::string_view engine = "simgrid") {
  try {
    run(writer, two_senders(), disturbances, engine);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Disturbance, FlowOverALinkThatStaysDownIsRefused) {
  ProgramWriter writer(4);
  writer.communicate(Kind::send, {0, 1}, kBytes);
  Background endless{2, 3, Bytes(1)};
  endless.period             = Seconds(0.1);  // others come and go for ever
  const Disturbances failure = {.links = {{0, {{Seconds(0.5), 0}}}}, .background = {endless}};
  EXPECT_EQ(message_of(writer, failure),
            "stream D1: Do_send never ends: link link0 is down for good; let its trace repair it");
  EXPECT_EQ(message_of(writer, failure, "simgrid_flows"),
            "engine simgrid_flows: does not notice what never ends because link link0 is down for good; let its trace "
            "repair it, or use engine simgrid");
}

TEST(Disturbance, FatPipeThatStaysDownIsRefused) {
  ProgramWriter writer(2);
  writer.communicate(Kind::send, {0, 1}, kBytes);
  Options options;
  options.disturbances = {.links = {{0, {{Seconds(1.5), 0}}}}};
  try {
    engines().get("simgrid", "test").run(writer.program(), long_way(true), options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "stream D1: Do_send never ends: a fat pipe on its way is down for good; let its trace repair it");
  }
}

TEST(Disturbance, FloodOfOthersIsRefused) {
  ProgramWriter writer(4);
  writer.communicate(Kind::send, {0, 1}, kBytes);
  Background flood{2, 3, kBytes};
  flood.period = Seconds(1e-9);
  for (const std::string_view engine : {"simgrid", "simgrid_flows"}) {
    EXPECT_EQ(message_of(writer, {.background = {flood}}, engine),
              "disturbances.background[0]: more than 2000 flows of others are under way at once; lengthen the period "
              "or send fewer bytes");
  }
}

// Those that begin with the program need no simulation to be counted, so a scenario is refused as it is read.
TEST(Disturbance, FloodAtTheBeginningIsRefusedAsItIsRead) {
  const std::string wrong =
      "2001 flows begin at 0s, and no more than 2000 may be under way at once; let some begin "
      "later (\"first\"), or add their bytes up";
  ProgramWriter writer(4);
  writer.communicate(Kind::send, {0, 1}, kBytes);
  std::vector<Background> flows(2001, Background{2, 3, Bytes(1)});
  EXPECT_EQ(message_of(writer, {.background = flows}), "disturbances.background: " + wrong);
  flows.pop_back();
  EXPECT_EQ(message_of(writer, {.background = flows}), "no error");

  const std::string flow = R"({"from": "a", "to": "b", "bytes": "1B"})";
  std::string list       = flow;
  for (int i = 0; i < 2000; ++i) list += ", " + flow;
  const Json json = parse_json(R"({"background": [)" + list + "]}", "s.json");
  try {
    read_disturbances(JsonView(json, "s.json"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), "s.json: $.background: " + wrong);
  }
}

TEST(Disturbance, AnalyticEngineRefusesWhatNeedsSharedLinks) {
  ProgramWriter writer(4);
  EXPECT_EQ(message_of(writer, {.links = {{0, {{Seconds(1), 0.5}}}}}, "analytic"),
            "engine analytic: knows no shared links, so disturbances.links means nothing to it; use engine simgrid");
  EXPECT_EQ(
      message_of(writer, {.background = {{2, 3, Bytes(1)}}}, "analytic"),
      "engine analytic: knows no shared links, so disturbances.background means nothing to it; use engine simgrid");
  EXPECT_EQ(message_of(writer, {.slowdowns = {{0, 2}}, .jitter = {0.1, 1}}, "analytic"), "no error");
}

TEST(Disturbance, WhatIsOutOfRangeIsRefusedByName) {
  ProgramWriter writer(4);
  const auto complaint = [&](const Disturbances& disturbances) { return message_of(writer, disturbances); };
  EXPECT_EQ(complaint({.slowdowns = {{4, 2}}}),
            "disturbances.slowdowns[0].device: 4 is none of the 4 of the platform; count from 0");
  EXPECT_EQ(complaint({.slowdowns = {{0, 2}, {0, 0}}}),
            "disturbances.slowdowns[1].factor: is not above 0; 2 means half the speed");
  EXPECT_EQ(complaint({.slowdowns = {{0, 2, Seconds(2), Seconds(1)}}}),
            "disturbances.slowdowns[0].until: is not after \"from\"");
  EXPECT_EQ(complaint({.jitter = {1, 0}}), "disturbances.jitter.amplitude: is not in [0, 1); 0.05 means 5 %");
  EXPECT_EQ(complaint({.links = {{1, {{Seconds(1), 0.5}}}}}),
            "disturbances.links[0].link: 1 is none of the 1 of the platform; count from 0");
  EXPECT_EQ(complaint({.links = {{0, {{Seconds(1), 0.5}}}, {0, {{Seconds(2), 1}}}}}),
            "disturbances.links[1].link: has a trace already; give all its changes in one");
  EXPECT_EQ(complaint({.links = {{0, {}}}}), "disturbances.links[0].changes: is empty; give at least one");
  EXPECT_EQ(complaint({.links = {{0, {{Seconds(2), 1}, {Seconds(1), 1}}}}}),
            "disturbances.links[0].changes[1]: is not after the change before it; sort them by \"at\"");
  EXPECT_EQ(complaint({.background = {{0, 0, Bytes(1)}}}),
            "disturbances.background[0].to: is the device that sends; name another one");
  EXPECT_EQ(complaint({.background = {{0, 1, Bytes(0)}}}), "disturbances.background[0].bytes: is not above 0");
  EXPECT_EQ(complaint({.background = {{0, 3, Bytes(1)}}}),
            "disturbances.background[0].to: has no route from the device that sends");
}

}  // namespace
}  // namespace foreflow::simulate::disturbance_test
