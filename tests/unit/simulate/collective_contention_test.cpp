// Collectives that share links, against max-min systems solved by hand. Links are shared fairly between messages: where
// several channels or parts of one collective cross a link, each counts. Nodes have no latencies here; B is a NIC's
// bandwidth, S a size, T = S / B.
#include <gtest/gtest.h>

#include "foreflow/base/nth.h"
#include "foreflow/simulate/simulate.h"
#include "support/cluster.h"
#include "support/machine.h"

namespace foreflow::simulate::collective_contention_test {
namespace {

using collective::Kind;
using test::cluster;
using test::Ports;
using test::ProgramWriter;

const Bytes kBytes(80e6);
const Seconds kTime = kBytes / BytesPerSecond(25e9);

Ports without_latency(int devices_per_nic) {
  Ports ports;
  ports.near_latency = ports.far_latency = Seconds(0);
  ports.devices_per_nic                  = devices_per_nic;
  return ports;
}

class CollectiveContention : public testing::TestWithParam<std::string> {
 protected:
  static void use(ProgramWriter& writer, const char* algorithm) {
    writer.program().communications.back().algorithm = &collective::algorithms().get(algorithm, "test");
  }
  // When each stream's only communication ends.
  std::vector<double> ends(ProgramWriter& writer, const platform::Platform& platform) const {
    std::vector<double> result;
    for (const auto& records : engines().get(GetParam(), "test").run(writer.program(), platform).records)
      result.push_back(records.empty() ? 0 : records.back().end.value() / kTime.value());
    return result;
  }
};

// Two nodes of two, one NIC each. Rings a of 0, 2 over S and b of 1, 3 over 2 S: each way a and b send one message.
//   a + b = B, a = b  ->  B/2 each until a has S, at 2 T; then b alone moves the S that is left: 3 T.
TEST_P(CollectiveContention, RailsOnOneNicShareIt) {
  ProgramWriter writer(4);
  writer.communicate(Kind::all_reduce, {0, 2}, kBytes).communicate(Kind::all_reduce, {1, 3}, 2 * kBytes);
  const auto end = ends(writer, cluster({0, 0, 1, 1}, without_latency(2)));
  EXPECT_NEAR(end[0], 2, 1e-9);
  EXPECT_NEAR(end[1], 3, 1e-9);
}

// Two nodes of two, a NIC for each device. The ring has two channels, 0 1 3 2 and 1 0 2 3, of 6/4 S/2 = 3/4 S on each
// hop; a send of S/4 goes 0 -> 2 beside the hop 0 -> 2 of the second channel.
//   ring + send = B on that NIC  ->  B/2 each until the send has S/4, at T/2. The ring is coupled: all its hops have
//   S/4 behind them, the other S/2 take T/2.
TEST_P(CollectiveContention, MessageOnOneRailSlowsAllChannelsOfARing) {
  ProgramWriter writer(4);
  const int first = writer.stream(0), second = writer.stream(2);
  writer.communicate(Kind::all_reduce, {0, 1, 2, 3}, kBytes).communicate(Kind::send, {first, second}, 0.25 * kBytes);
  const auto end = ends(writer, cluster({0, 0, 1, 1}, without_latency(1)));
  EXPECT_NEAR(nth(end, first), 0.5, 1e-9);
  EXPECT_NEAR(end[0], 1, 1e-9);
}

// Four nodes of one. The trees are 0-2, 2-1, 2-3 and 3-1, 1-2, 1-0, S/2 on each edge each way, so ranks 1 and 2 send
// four messages of S/2; the chain 0 1 2 3 sends one of S on each hop, after S/16 have crossed two hops: T/8.
//   until T/8       4 t = B            t = B/4, S/32 of S/2 done
//   then            4 t + c = B, t = c    B/5 each; the rest of the tree, 15/32 S, takes 75/32 T: until 79/32 T
//   then            c = B              17/32 S are left: until 96/32 T = 3 T
TEST_P(CollectiveContention, TreeCountsAsManyMessagesAsItSends) {
  ProgramWriter writer(4);
  std::vector<int> streams;
  for (int i = 0; i < 4; ++i) streams.push_back(writer.stream(i));
  writer.communicate(Kind::all_reduce, {0, 1, 2, 3}, kBytes);
  use(writer, "tree");
  writer.communicate(Kind::broadcast, streams, kBytes);
  const auto end = ends(writer, cluster({0, 1, 2, 3}, without_latency(1)));
  EXPECT_NEAR(end[0], 79.0 / 32, 1e-9);
  EXPECT_NEAR(end[4], 3, 1e-9);
}

// Two nodes of two, a NIC for each device. The hierarchical all-reduce moves S/2 inside the nodes at 12 B (T/24), S/2
// over each NIC, and S/2 inside again. A send of S from 0 to 2 begins with it.
//   until T/24        send = B: S/24 done
//   then              h + send = B on that NIC, h = send: S/2 of h takes T; the send has 13/24 S
//   then              the third phase, T/24, beside the send, which has 11/24 S left: until 36/24 T
TEST_P(CollectiveContention, PhasesMeetOthersOnlyWhereTheyAre) {
  ProgramWriter writer(4);
  const int first = writer.stream(0), second = writer.stream(2);
  writer.communicate(Kind::all_reduce, {0, 1, 2, 3}, kBytes);
  use(writer, "hierarchical");
  writer.communicate(Kind::send, {first, second}, kBytes);
  const auto end = ends(writer, cluster({0, 0, 1, 1}, without_latency(1)));
  EXPECT_NEAR(end[0], 26.0 / 24, 1e-9);
  EXPECT_NEAR(nth(end, first), 36.0 / 24, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Engines, CollectiveContention, testing::Values("simgrid", "simgrid_flows"),
                         [](const auto& engine) { return engine.param; });

}  // namespace
}  // namespace foreflow::simulate::collective_contention_test
