// What computes lose to collectives beside them is time of computes wherever reports count it.
#include <gtest/gtest.h>

#include "foreflow/report/summary.h"
#include "foreflow/simulate/simulate.h"
#include "support/machine.h"
#include "support/random_streams.h"

namespace foreflow::report::lost_time_test {
namespace {

using collective::Kind;
using test::ProgramWriter;

constexpr double kShare = 0.25;

stream::Timeline run(const stream::Program& program, const platform::Platform& platform) {
  simulate::Options options;
  options.collective_share = kShare;
  return simulate::engines().get("analytic", "test").run(program, platform, options);
}

double path_of(const Summary& summary) {
  double seconds = 0;
  for (const Segment& segment : summary.critical_path) seconds += segment.seconds.value();
  return seconds;
}

// Times in seconds. A sum of 4 runs beside a compute of 10, which loses 1; before the device waits for the sum, it is 2
// in a sum of its own.
TEST(LostTime, IsOfTheComputeBeforeWhateverIsInBetween) {
  ProgramWriter writer(2);
  const int comms[] = {writer.stream(0), writer.stream(1)};
  writer.communicate(Kind::all_reduce, {comms[0], comms[1]}, Bytes(0), Seconds(4));
  for (const int device : {0, 1}) writer.compute(device, Seconds(10));
  writer.communicate(Kind::all_reduce, {0, 1}, Bytes(0), Seconds(2));
  for (const int device : {0, 1}) writer.communicate(Kind::send, {comms[device], device}, Bytes(0));
  const platform::Platform platform = test::star(2, BytesPerSecond(1e9), Seconds(0));
  const Summary summary             = summarise({}, writer.program(), run(writer.program(), platform), platform);
  EXPECT_DOUBLE_EQ(summary.iteration_time.value(), 13);
  EXPECT_DOUBLE_EQ(summary.devices[0].compute.value(), 11);
  EXPECT_DOUBLE_EQ(summary.devices[0].communication.value(), 6);
  ASSERT_EQ(summary.ops.size(), 2u);
  EXPECT_EQ(summary.ops[0].name, "Work");
  EXPECT_DOUBLE_EQ(summary.ops[0].seconds.value(), 11);
  EXPECT_DOUBLE_EQ(path_of(summary), 13);
}

TEST(LostTime, LeavesThePathAsLongAsTheIteration) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 rng(seed);
    const auto platform = test::private_links(rng, 4);
    auto program        = test::random_streams(rng, 4);
    if (seed % 2 == 1) test::add_hosts(rng, program);
    const stream::Timeline timeline = run(program, platform);
    EXPECT_NEAR(path_of(summarise({}, program, timeline, platform)), timeline.makespan.value(),
                1e-9 * timeline.makespan.value());
    for (const auto& records : timeline.records) {
      for (size_t i = 1; i < records.size(); ++i) EXPECT_GE(records[i].start, records[i - 1].end);
    }
  }
}

}  // namespace
}  // namespace foreflow::report::lost_time_test
