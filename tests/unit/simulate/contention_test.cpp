// How concurrent communications slow each other down: max-min fair shares of every link between unit flows.
#include <gtest/gtest.h>

#include "foreflow/base/error.h"
#include "foreflow/base/process.h"
#include "foreflow/platform/load.h"
#include "foreflow/simulate/simulate.h"
#include "support/machine.h"

namespace foreflow::simulate::contention_test {
namespace {

using collective::Kind;
using test::ProgramWriter;
using test::Wiring;

const BytesPerSecond kBandwidth(20e9);
const Bytes kBytes(3e6 + 1);

stream::Timeline simulate(ProgramWriter& writer, const platform::Platform& platform) {
  stream::verify(writer.program());
  return engines().get("simgrid", "test").run(writer.program(), platform);
}

Seconds end(const stream::Timeline& timeline, int stream) {
  return timeline.records.at(static_cast<size_t>(stream)).back().end;
}

void expect_near(Seconds actual, Seconds expected) {
  EXPECT_NEAR(actual.value(), expected.value(), 1e-9 * expected.value());
}

// Two pairs of devices; both directions of both pairs cross the one `shared` link, and fast links of their own.
Wiring two_pairs() {
  Wiring wiring(4);
  const int shared = wiring.link(kBandwidth);
  for (const int first : {0, 2}) {
    const int there = wiring.link(4 * kBandwidth), back = wiring.link(4 * kBandwidth);
    wiring.route(first, first + 1, {shared, there}).route(first + 1, first, {back, shared});
  }
  return wiring;
}

// Runs of one program, and then a platform whose routes SimGrid finds, all in this process.
std::string engines_after_each_other() {
  ProgramWriter writer(4);
  writer.compute(0, Seconds(0.1)).communicate(Kind::all_reduce, {0, 1}, kBytes);
  writer.communicate(Kind::all_reduce, {2, 3}, 3 * kBytes);
  const auto platform = two_pairs().platform();
  const auto ends     = [&](const char* engine, bool owns_process) {
    Options options;
    options.owns_process = owns_process;
    std::vector<double> all;
    for (const auto& stream : engines().get(engine, "test").run(writer.program(), platform, options).records) {
      for (const stream::Record& record : stream) all.push_back(record.end.value());
    }
    return all;
  };
  const auto sites  = [] { return platform::load_file(FOREFLOW_SOURCE_DIR "/platforms/two_sites.xml").route(0, 6); };
  const auto actors = ends("simgrid_flows", false), in_child = ends("simgrid", false);
  const auto before = sites();
  for (int i = 0; i < 50; ++i) {
    if (ends("simgrid", true) != in_child) return "simgrid";
  }
  if (ends("simgrid_flows", false) != actors) return "simgrid_flows";
  return sites().links == before.links ? "" : "routes";
}

// SimGrid keeps its clock, and more, from engine to engine of a process.
TEST(Contention, EnginesOfOneProcessDoNotNoticeEachOther) {
  EXPECT_EQ(run_in_child("engines", engines_after_each_other), "");
}

TEST(Contention, TwoEqualRingsOnOneLinkTakeTwiceAsLong) {
  ProgramWriter writer(4);
  writer.communicate(Kind::all_reduce, {0, 1}, kBytes).communicate(Kind::all_reduce, {2, 3}, kBytes);
  const auto timeline = simulate(writer, two_pairs().platform());
  // A ring of two moves `bytes` in each direction and both directions cross the link.
  expect_near(end(timeline, 0), 2 * (2 * kBytes / kBandwidth));
  expect_near(end(timeline, 2), 2 * (2 * kBytes / kBandwidth));
}

TEST(Contention, OfRingsOneToTwoTheSmallEndsFirstAndTheLargeSpeedsUp) {
  ProgramWriter writer(4);
  writer.communicate(Kind::all_reduce, {0, 1}, kBytes).communicate(Kind::all_reduce, {2, 3}, 2 * kBytes);
  const auto timeline = simulate(writer, two_pairs().platform());
  expect_near(end(timeline, 0), 2 * (2 * kBytes / kBandwidth));
  expect_near(end(timeline, 2), 3 * (2 * kBytes / kBandwidth));
}

TEST(Contention, RingOfTwoFlowsGetsTwoSharesBesideASend) {
  ProgramWriter writer(4);
  writer.communicate(Kind::all_reduce, {0, 1}, kBytes).communicate(Kind::send, {2, 3}, 2 * kBytes);
  const auto timeline = simulate(writer, two_pairs().platform());
  // Three flows share the link; when the ring ends at 3 B/C the send has moved B and has the link for its other B.
  expect_near(end(timeline, 0), 3 * (kBytes / kBandwidth));
  expect_near(end(timeline, 2), 4 * (kBytes / kBandwidth));
}

TEST(Contention, MessageThatCrossesALinkTwiceCountsTwice) {
  Wiring wiring(4);
  const int shared = wiring.link(kBandwidth);
  wiring.route(0, 1, {shared, shared}).route(2, 3, {shared});
  ProgramWriter writer(4);
  writer.communicate(Kind::send, {0, 1}, kBytes).communicate(Kind::send, {2, 3}, kBytes);
  const auto timeline = simulate(writer, wiring.platform());
  expect_near(end(timeline, 0), 3 * (kBytes / kBandwidth));
  expect_near(end(timeline, 2), 3 * (kBytes / kBandwidth));
  EXPECT_NEAR(timeline.links[0].bytes.value(), 3 * kBytes.value(), 1e-6);
  EXPECT_NEAR(timeline.links[0].busy.value(), 3 * (kBytes / kBandwidth).value(), 1e-12);
}

TEST(Contention, FlowThrottledElsewhereLeavesTheRestToTheOthers) {
  Wiring wiring(4);
  const int shared = wiring.link(kBandwidth), slow = wiring.link(kBandwidth / 4);
  wiring.route(0, 1, {shared, slow}).route(2, 3, {shared});
  ProgramWriter writer(4);
  writer.communicate(Kind::send, {0, 1}, kBytes).communicate(Kind::send, {2, 3}, kBytes);
  const auto timeline = simulate(writer, wiring.platform());
  expect_near(end(timeline, 0), 4 * (kBytes / kBandwidth));
  expect_near(end(timeline, 2), kBytes / (0.75 * kBandwidth));
}

TEST(Contention, AllToAllBesideASendSharesByItsMessages) {
  // Three devices behind one link out of device 0: the all-to-all sends two messages over it, of a third of the bytes
  // each.
  Wiring wiring(3);
  const int out = wiring.link(kBandwidth);
  for (int from = 0; from < 3; ++from) {
    for (int to = 0; to < 3; ++to) {
      if (from != to) wiring.route(from, to, {from == 0 ? out : wiring.link(4 * kBandwidth)});
    }
  }
  ProgramWriter writer(3);
  const int sender = writer.stream(0), receiver = writer.stream(1);
  writer.communicate(Kind::all_to_all, {0, 1, 2}, kBytes).communicate(Kind::send, {sender, receiver}, kBytes);
  const auto timeline = simulate(writer, wiring.platform());
  // Three messages share the link until the all-to-all ends at 3 * (B/3)/C; the send has 2 B/3 left.
  expect_near(end(timeline, 0), kBytes / kBandwidth);
  expect_near(end(timeline, sender), kBytes / kBandwidth + 2.0 / 3 * kBytes / kBandwidth);
}

TEST(Contention, LateFlowSlowsOnlyWhatIsLeft) {
  ProgramWriter writer(4);
  const Seconds alone = 2 * kBytes / kBandwidth;
  writer.communicate(Kind::all_reduce, {0, 1}, kBytes);
  writer.compute(2, alone / 2).communicate(Kind::all_reduce, {2, 3}, kBytes);
  const auto timeline = simulate(writer, two_pairs().platform());
  expect_near(end(timeline, 0), 1.5 * alone);
  expect_near(end(timeline, 2), 2 * alone);
}

TEST(Contention, SameProgramGivesTheSameBytesAgain) {
  ProgramWriter writer(4);
  for (int i = 0; i < 20; ++i) {
    writer.communicate(Kind::all_reduce, {0, 1}, (1 + i % 3) * kBytes)
        .communicate(Kind::send, {2, 3}, (1 + i % 7) * kBytes);
  }
  const auto first = simulate(writer, two_pairs().platform());
  const auto again = simulate(writer, two_pairs().platform());
  for (size_t stream = 0; stream < 4; ++stream) {
    for (size_t i = 0; i < first.records[stream].size(); ++i) {
      EXPECT_EQ(first.records[stream][i].end, again.records[stream][i].end);
    }
  }
}

TEST(Contention, DeadlockOfStreamsThatAreAlikeIsToldOfOneOfThem) {
  ProgramWriter writer(4);  // 1 and 2 as well as 3 and 4 wait for each other
  writer.communicate(Kind::send, {0, 1}, kBytes).repeat(0, {2, 3}).repeat(0, {1, 0}).repeat(0, {3, 2});
  for (const size_t stream : {1, 3}) {
    auto& items = writer.program().streams[stream].items;
    std::swap(items[0], items[1]);
  }
  try {
    engines().get("simgrid", "test").run(writer.program(), two_pairs().platform());
    FAIL() << "each waits for the other";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 64),
              "stream D1, item 0: Do_send never starts: D2 does not arrive; all");
  }
}

TEST(Contention, HandOverNeverHoldsUpTheStreamThatHandsOver) {
  ProgramWriter writer(1);
  const int busy = writer.stream(0);
  writer.compute(busy, Seconds(5)).communicate(Kind::send, {0, busy}, kBytes).compute(0, Seconds(1));
  writer.compute(0, Seconds(1)).communicate(Kind::send, {busy, 0}, kBytes);
  for (const std::string engine : {"analytic", "simgrid", "simgrid_flows"}) {
    SCOPED_TRACE(engine);
    const auto timeline = engines().get(engine, "test").run(writer.program(), Wiring(1).platform());
    expect_near(timeline.records[0][0].end, Seconds(0));  // signals at once
    expect_near(timeline.records[0][2].end, Seconds(2));
    expect_near(timeline.records[0][3].start, Seconds(5));  // waits for the other stream
    expect_near(timeline.records[1][1].start, Seconds(5));
    expect_near(timeline.records[1][1].end, Seconds(5));
  }
}

TEST(Contention, DeadlockNamesTheStreamTheItemAndThePeer) {
  ProgramWriter writer(4);
  writer.communicate(Kind::send, {0, 1}, kBytes).communicate(Kind::send, {1, 0}, kBytes);
  auto& items = writer.program().streams[1].items;
  std::swap(items[0], items[1]);  // a program that verify() refuses
  for (const std::string& engine : engines().names()) {
    try {
      engines().get(engine, "test").run(writer.program(), two_pairs().platform());
      FAIL() << "each waits for the other";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(),
                   "stream D1, item 0: Do_send never starts: D2 does not arrive; all members must list their "
                   "communications in one order");
    }
  }
}

}  // namespace
}  // namespace foreflow::simulate::contention_test
