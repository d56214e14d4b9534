#include "foreflow/report/summary.h"

#include <gtest/gtest.h>

#include "unit/report/example.h"

namespace foreflow::report::summary_test {
namespace {

using test::Example;
using test::example;

TEST(Summary, RatesAreWorkOverTimeAndDevices) {
  const Summary summary = example().summary();
  const double time = 8, devices = 2, peak = 100;
  EXPECT_EQ(summary.iteration_time, Seconds(time));
  EXPECT_DOUBLE_EQ(summary.samples_per_second, 4 / time);
  EXPECT_DOUBLE_EQ(summary.tokens_per_second_per_device, 32 / time / devices);
  EXPECT_DOUBLE_EQ(summary.model_rate.value(), 400 / time / devices);
  EXPECT_DOUBLE_EQ(summary.hardware_rate.value(), 600 / time / devices);
  EXPECT_DOUBLE_EQ(summary.mfu, 400 / (time * devices * peak));
}

TEST(Summary, BusyAndIdleAddUpToTheMakespanOnEveryDevice) {
  const Summary summary = example().summary();
  ASSERT_EQ(summary.devices.size(), 2u);
  for (const DeviceSummary& device : summary.devices) {
    EXPECT_EQ(device.busy + device.idle, summary.iteration_time);
    EXPECT_EQ(device.compute + device.communication, device.busy);
  }
  EXPECT_EQ(summary.devices[0].compute, Seconds(2));
  EXPECT_EQ(summary.devices[1].compute, Seconds(4));
  EXPECT_EQ(summary.devices[0].communication, Seconds(2));
  EXPECT_EQ(summary.devices[1].place, "gpu1");
}

TEST(Summary, OverlappingStreamsOfOneDeviceAreBusyOnce) {
  Example overlap                   = example();
  overlap.program.streams[1].device = 0;
  overlap.program.devices.pop_back();
  const DeviceSummary device = overlap.summary().devices.at(0);
  EXPECT_EQ(device.compute, Seconds(6));
  EXPECT_EQ(device.communication, Seconds(2));
  EXPECT_EQ(device.busy, Seconds(8));
  EXPECT_EQ(device.idle, Seconds(0));
}

TEST(Summary, MemoryPeaksWhereAnItemStandsOnWhatEarlierItemsLeft) {
  const Summary summary = example().summary();
  EXPECT_EQ(summary.devices[0].peak_memory, Bytes(10 + 30));
  EXPECT_EQ(summary.devices[1].peak_memory, Bytes(90 + 30));
  EXPECT_TRUE(summary.devices[0].fits);
  EXPECT_FALSE(summary.devices[1].fits);
  EXPECT_FALSE(summary.fits);
}

TEST(Summary, LinksAreUsedByTheShareOfWhatTheyCouldCarry) {
  const Summary summary = example().summary();
  ASSERT_EQ(summary.links.size(), 2u);
  EXPECT_EQ(summary.links[0].name, "wire_UP");
  EXPECT_DOUBLE_EQ(summary.links[0].utilization, 24.0 / (20 * 8));
  EXPECT_EQ(summary.links[0].busy, Seconds(2));
}

TEST(Summary, LinksThatCarriedNothingAreLeftOut) {
  Example quiet           = example();
  quiet.timeline.links[0] = {Bytes(0), Seconds(0)};
  const Summary summary   = quiet.summary();
  ASSERT_EQ(summary.links.size(), 1u);
  EXPECT_EQ(summary.links[0].name, "wire_DOWN");
}

TEST(Summary, TimeByOpCountsThePartsOfCompositesAndAveragesOverDevices) {
  const Summary summary = example().summary();
  ASSERT_EQ(summary.ops.size(), 4u);
  EXPECT_EQ(summary.ops[0].name, "MatMul");
  EXPECT_EQ(summary.ops[0].family, "matrix multiply");
  EXPECT_EQ(summary.ops[0].seconds, Seconds((1.5 + 4) / 2));
  Seconds sum, busy;
  for (const OpTime& op : summary.ops) sum += op.seconds;
  for (const DeviceSummary& device : summary.devices) busy += device.busy;
  EXPECT_EQ(sum, busy / 2);
}

TEST(Summary, EventsAreDistinctOncePricedAndExecutedOnceRun) {
  const Summary summary = example().summary();
  EXPECT_EQ(summary.events.distinct, 4);
  EXPECT_EQ(summary.events.executed, 2 + 2);
}

TEST(CriticalPath, FollowsTheMemberThatArrivedLastAndAddsUpToTheMakespan) {
  const Summary summary = example().summary();
  ASSERT_EQ(summary.critical_path.size(), 4u);
  const char* expected[][2] = {
      {"D1", "@stage1_forward"}, {"D1", "Send"}, {"D2", "@stage2_backward"}, {"D2", "MPIAllreduce"}};
  Seconds sum;
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(summary.critical_path[i].device, expected[i][0]);
    EXPECT_EQ(summary.critical_path[i].what, expected[i][1]);
    sum += summary.critical_path[i].seconds;
  }
  EXPECT_EQ(sum, summary.iteration_time);
}

TEST(CriticalPath, JoinsEqualItemsInARow) {
  stream::Program program;
  program.computes       = {{"Work", Seconds(1), Flops(0), {}}};
  program.memory_effects = {{Bytes(0), Bytes(0)}};
  program.devices        = {{1, 0, Bytes(0)}};
  program.streams        = {{"D1", 0, {{0, -1, 0}, {0, -1, 0}, {0, -1, 0}}}};
  const stream::Timeline timeline{
      Seconds(3), {{{Seconds(0), Seconds(1)}, {Seconds(1), Seconds(2)}, {Seconds(2), Seconds(3)}}}, {{}, {}}};
  const Summary summary = summarise(example().job, program, timeline, test::two_devices());
  ASSERT_EQ(summary.critical_path.size(), 1u);
  EXPECT_EQ(summary.critical_path[0].count, 3);
  EXPECT_EQ(summary.critical_path[0].seconds, Seconds(3));
}

TEST(Summary, AnEmptyProgramTakesNoTime) {
  const Summary summary = summarise(example().job, {}, {Seconds(0), {}, {}}, test::two_devices());
  EXPECT_EQ(summary.mfu, 0);
  EXPECT_EQ(summary.samples_per_second, 0);
  EXPECT_TRUE(summary.critical_path.empty());
  EXPECT_TRUE(summary.fits);
}

}  // namespace
}  // namespace foreflow::report::summary_test
