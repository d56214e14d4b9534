// Cuts for schedules that give each device several stages.
#include "transform/pipeline/cuts/device_cuts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "foreflow/base/nth.h"
#include "foreflow/schedule/play.h"

namespace foreflow::transform::device_cuts_test {
namespace {

// A place behind each op. A third of the time is the forward pass; each op has weights of a byte.
std::vector<CutPlace> places(const std::vector<double>& seconds) {
  std::vector<CutPlace> all;
  CutPlace here{};
  for (size_t i = 0; i < seconds.size(); ++i) {
    here.op = static_cast<int32_t>(i);
    here.seconds += seconds[i];
    here.forward += seconds[i] / 3;
    here.flops += seconds[i];
    here.weights += Bytes(1);
    here.tensors = 1;
    all.push_back(here);
  }
  return all;
}

const schedule::ScheduleDef& row(const std::string& name) { return schedule::schedules().get(name, "test"); }

StageLimits limits_of(const std::string& name, const schedule::Size& size, std::vector<Bytes> memory = {}) {
  const auto stages = static_cast<size_t>(schedule::stages(row(name).mapping, size));
  for (Bytes& one : memory) one = one / size.chunks;
  return {std::vector<double>(stages, 1), std::vector<double>(stages, 0), std::move(memory)};
}

// The seconds of a microbatch on each device.
std::vector<double> loads(const std::vector<CutPlace>& all, const Cuts& cuts, const std::string& name,
                          const schedule::Size& size) {
  const std::vector<double> seconds = seconds_between(all, cuts, limits_of(name, size));
  std::vector<double> sums(static_cast<size_t>(size.devices));
  for (int device = 0; device < size.devices; ++device) {
    for (int chunk = 0; chunk < size.chunks; ++chunk)
      nth(sums, device) += nth(seconds, schedule::stage_of(row(name).mapping, size, device, chunk));
  }
  return sums;
}

Cuts cuts_over_devices(const std::vector<CutPlace>& places, const StageLimits& limits, const std::string& name,
                       const schedule::Size& size) {
  CommonCuts common(places);
  return balanced_over_devices(common, limits, row(name), size);
}

double largest(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

// The last op is worth two others. No four stages are equal, but what the devices have can be: the V puts the first and
// the last stage on the same device.
TEST(DeviceCuts, EvenOutTheSumsOfDevices) {
  const auto all = places({1, 1, 1, 1, 1, 1, 1, 1, 2});
  const schedule::Size size{2, 16, 2};
  const Cuts cuts = cuts_over_devices(all, limits_of("zb_v", size), "zb_v", size);
  EXPECT_EQ(largest(loads(all, cuts, "zb_v", size)), 5);
}

TEST(DeviceCuts, AreNeverSlowerThanBalancedOrUniformStages) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> time(0.5, 2);
  for (const std::string name : {"interleaved_1f1b", "looped_bfs", "zb_v", "dualpipe_v", "chimera", "dualpipe"}) {
    for (const int devices : {2, 4}) {
      for (int trial = 0; trial < 10; ++trial) {
        std::vector<double> seconds(24);
        for (double& value : seconds) value = time(random);
        seconds.back() = 5;
        const auto all = places(seconds);
        const schedule::Size size{devices, 4 * devices, 2};
        const StageLimits limits = limits_of(name, size);
        const auto time_of = [&](const Cuts& cuts) { return seconds_of_schedule(all, cuts, limits, row(name), size); };
        const double found = time_of(cuts_over_devices(all, limits, name, size));
        EXPECT_LE(found, 1.01 * time_of(CommonCuts(all).balanced(limits))) << name;
        EXPECT_LE(found, 1.01 * time_of(uniform_cuts(all, limits.shares))) << name;
      }
    }
  }
}

// A device has room for 7 of 12 weights. Six and three of them in the stages of a device are within that, though one
// stage alone would exceed half.
TEST(DeviceCuts, DivideTheMemoryOfADeviceAmongItsStages) {
  const auto all = places({4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 4});
  const schedule::Size size{2, 16, 2};
  const StageLimits limits = limits_of("zb_v", size, {Bytes(7)});
  const Cuts cuts          = cuts_over_devices(all, limits, "zb_v", size);
  const auto needs         = needs_between(all, cuts, limits);
  EXPECT_LE(needs[0] + needs[3], Bytes(7));
  EXPECT_LE(needs[1] + needs[2], Bytes(7));
}

// The first device of a V has room for 4 weights, and the second for 9.
TEST(DeviceCuts, KeepEachDeviceWithinItsOwnMemory) {
  const auto all = places({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  const schedule::Size size{2, 16, 2};
  const StageLimits limits = limits_of("zb_v", size, {Bytes(4), Bytes(9), Bytes(9), Bytes(4)});
  const auto needs         = needs_between(all, cuts_over_devices(all, limits, "zb_v", size), limits);
  EXPECT_LE(needs[0] + needs[3], Bytes(4));
  EXPECT_LE(needs[1] + needs[2], Bytes(9));
}

// What is found once serves pipelines with other memory and other microbatches, too.
TEST(DeviceCuts, AreTheSameWhateverWasAskedBefore) {
  const auto all = places({4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 4});
  CommonCuts common(all);
  for (const int microbatches : {8, 16}) {
    for (const std::vector<Bytes>& memory : {std::vector<Bytes>(),
                                             {Bytes(7)},
                                             {Bytes(6)},
                                             {Bytes(2)},
                                             {Bytes(9)},
                                             {Bytes(9), Bytes(6), Bytes(6), Bytes(9)}}) {
      for (const std::string name : {"zb_v", "interleaved_1f1b"}) {
        const schedule::Size size{2, microbatches, 2};
        const StageLimits limits = limits_of(name, size, memory);
        EXPECT_EQ(balanced_over_devices(common, limits, row(name), size), cuts_over_devices(all, limits, name, size));
      }
    }
  }
}

// Where nothing fits only the time counts.
TEST(DeviceCuts, IgnoreMemoryWhereNoDevicesFit) {
  const auto all = places({4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 4});
  const schedule::Size size{2, 16, 2};
  EXPECT_EQ(cuts_over_devices(all, limits_of("zb_v", size, {Bytes(2)}), "zb_v", size),
            cuts_over_devices(all, limits_of("zb_v", size), "zb_v", size));
}

// A few microbatches tell the time of many.
TEST(DeviceCuts, ContinueTheTimeOfAFewMicrobatches) {
  const auto all = places({1, 2, 1, 1, 1, 2, 1, 1, 1, 1, 1, 3});
  for (const std::string name : {"interleaved_1f1b", "looped_bfs", "zb_v", "dualpipe_v", "chimera", "dualpipe"}) {
    const schedule::Size size{4, 64, 2};
    const StageLimits limits = limits_of(name, size);
    const Cuts cuts          = uniform_cuts(all, limits.shares);
    schedule::Costs costs;
    for (const double seconds : seconds_between(all, cuts, limits))
      costs.stages.push_back({seconds / 3, seconds / 3, seconds / 3});
    double played = 0;
    for (const auto& slots : schedule::play(schedule::plan(row(name), size), costs))
      played = std::max(played, slots.back().end);
    EXPECT_NEAR(seconds_of_schedule(all, cuts, limits, row(name), size), played, 0.01 * played) << name;
  }
}

}  // namespace
}  // namespace foreflow::transform::device_cuts_test
