// Communications of a timeline that can be followed by hand: two sends share a link, one member comes late.
//
//   D1  compute 0-1 | send 1-5 over `wire`         | all-reduce 7-8
//   D2              | send 1-5 ...                 | all-reduce 7-8
//   D3  send 1-3 over `wire` | compute 3-7         | all-reduce 7-8
//   D4  send 1-3 ...                               | all-reduce 7-8
#include <gtest/gtest.h>

#include "foreflow/report/summary.h"

namespace foreflow::report::collectives_test {
namespace {

using collective::Kind;

platform::Platform four_devices() {
  std::vector<platform::Device> devices;
  for (const char* name : {"gpu0", "gpu1", "gpu2", "gpu3"})
    devices.push_back(
        {name, "test", "node0", Bytes(100), BytesPerSecond(1000), {{"f32", FlopsPerSecond(1)}}, Seconds(0)});
  const platform::Link wire  = {"wire", "nic", BytesPerSecond(10), Seconds(0)};
  const platform::Link spare = {"spare", "nic", BytesPerSecond(10), Seconds(0)};
  std::vector<platform::Route> routes(16, {{0}, Seconds(0)});
  for (size_t i = 0; i < 4; ++i) routes[5 * i] = {{}, Seconds(0)};
  return platform::Platform("four", devices, {wire, spare}, routes);
}

stream::Program program() {
  const auto algorithm = [](Kind kind) { return &collective::default_algorithm(kind); };
  stream::Program program;
  program.computes       = {{"short", Seconds(1), Flops(0), {}}, {"long", Seconds(4), Flops(0), {}}};
  program.communications = {{"Send", Kind::send, algorithm(Kind::send), Bytes(30)},
                            {"Send", Kind::send, algorithm(Kind::send), Bytes(10)},
                            {"MPIAllreduce", Kind::all_reduce, algorithm(Kind::all_reduce), Bytes(4)}};
  program.memory_effects = {{Bytes(0), Bytes(0)}};
  program.instances      = {{0, {0, 1}}, {1, {2, 3}}, {2, {0, 1, 2, 3}}};
  for (int d = 0; d < 4; ++d) program.devices.push_back({d + 1, d, Bytes(0)});
  program.streams = {{"D1", 0, {{0, -1, 0}, {0, 0, 0}, {2, 2, 0}}},
                     {"D2", 1, {{0, 0, 0}, {2, 2, 0}}},
                     {"D3", 2, {{0, -1, 0}, {1, 1, 0}, {1, -1, 0}, {2, 2, 0}}},
                     {"D4", 3, {{1, 1, 0}, {2, 2, 0}}}};
  return program;
}

// The first send has the wire to itself from 3 on: 10 bytes by 3, 20 more by 5.
stream::Timeline timeline() {
  const auto record = [](double start, double end) { return stream::Record{Seconds(start), Seconds(end)}; };
  stream::Timeline timeline;
  timeline.makespan = Seconds(8);
  timeline.records  = {{record(0, 1), record(1, 5), record(7, 8)},
                       {record(1, 5), record(7, 8)},
                       {record(0, 1), record(1, 3), record(3, 7), record(7, 8)},
                       {record(1, 3), record(7, 8)}};
  timeline.links    = {{Bytes(40), Seconds(4)}, {Bytes(6), Seconds(1)}};
  timeline.flows    = {{0, 0, 0, Seconds(1), Seconds(5), Seconds(3)},
                       {1, 0, 0, Seconds(1), Seconds(3), Seconds(1)},
                       {2, 0, 1, Seconds(7), Seconds(8), Seconds(1)}};
  timeline.loads    = {{{0, 1.0}}, {{1, 1.5}}};
  for (const char* name : {"direct", "direct", "halving_doubling"})
    timeline.algorithms.push_back(&collective::algorithms().get(name, "test"));
  timeline.paces = {{{Seconds(1), BytesPerSecond(5)}, {Seconds(3), BytesPerSecond(10)}},
                    {{Seconds(1), BytesPerSecond(5)}},
                    {{Seconds(7), BytesPerSecond(4)}}};
  return timeline;
}

Summary summary(bool observed = true) {
  stream::Timeline all = timeline();
  if (!observed) all.paces.clear();
  return summarise({}, program(), all, four_devices());
}

TEST(Collectives, TellBandwidthsAndWhatIsLost) {
  const std::vector<CollectiveSummary> rows = summary().collectives;
  ASSERT_EQ(rows.size(), 3U);
  const CollectiveSummary& large = rows[0];
  EXPECT_EQ(large.bytes, Bytes(30));
  EXPECT_EQ(large.time, Seconds(4));
  EXPECT_EQ(large.algbw, BytesPerSecond(7.5));
  EXPECT_EQ(large.busbw, BytesPerSecond(7.5));
  EXPECT_EQ(large.contention, Seconds(1));
  EXPECT_EQ(large.waiting, Seconds(0.5));  // D2 waits 1 s for D1
  EXPECT_EQ(large.late, "D1");
  EXPECT_EQ(rows[1].contention, Seconds(1));
  const CollectiveSummary& reduce = rows[2];
  EXPECT_EQ(reduce.kind, "all_reduce");
  EXPECT_EQ(reduce.algorithm, "halving_doubling");  // what ran, where the program asks for `auto`
  EXPECT_EQ(reduce.ranks, 4);
  EXPECT_EQ(reduce.busbw, BytesPerSecond(6));  // 2 * 3/4 * 4 bytes in 1 s
  EXPECT_EQ(reduce.contention, Seconds(0));
  EXPECT_EQ(reduce.waiting, Seconds((2 + 2 + 0 + 4) / 4.0));
  EXPECT_EQ(reduce.late, "D3");
}

TEST(Collectives, TheCriticalPathKnowsWhatContentionCostIt) {
  std::vector<Segment> path = summary().critical_path;
  ASSERT_EQ(path.size(), 4U);
  EXPECT_EQ(path[1].what, "Send");
  EXPECT_EQ(path[1].device, "D3");
  EXPECT_EQ(path[1].contention, Seconds(1));
  EXPECT_EQ(path[2].what, "long");
  EXPECT_EQ(path[2].contention, Seconds(0));
}

TEST(Links, TellWhoSharedThemAndWhen) {
  const std::vector<LinkSummary> links = summary().links;
  ASSERT_EQ(links.size(), 2U);
  ASSERT_EQ(links[0].shared.size(), 1U);
  EXPECT_EQ(links[0].shared[0].first, "Send of 30 B");
  EXPECT_EQ(links[0].shared[0].second, "Send of 10 B");
  EXPECT_EQ(links[0].shared[0].seconds, Seconds(2));
  EXPECT_TRUE(links[1].shared.empty());
}

TEST(Links, TellHowBusyTheyWereOverTime) {
  const std::vector<LinkSummary> links = summary().links;  // intervals of 0.08 s
  ASSERT_EQ(links[0].usage.size(), LinkSummary::kIntervals);
  EXPECT_EQ(links[0].usage[0], 0);
  EXPECT_NEAR(links[0].usage[20], 1, 1e-12);  // both sends fill the wire
  EXPECT_NEAR(links[0].usage[50], 1, 1e-12);
  EXPECT_EQ(links[0].usage[80], 0);
  EXPECT_NEAR(links[1].usage[95], 0.6, 1e-12);
  double sum = 0;
  for (const double part : links[0].usage) sum += part;
  EXPECT_NEAR(sum / LinkSummary::kIntervals, links[0].utilization, 1e-12);
}

TEST(Links, HaveNoHistoryUnlessObserved) {
  for (const LinkSummary& link : summary(false).links) {
    EXPECT_TRUE(link.usage.empty());
    EXPECT_TRUE(link.shared.empty());
  }
}

}  // namespace
}  // namespace foreflow::report::collectives_test
