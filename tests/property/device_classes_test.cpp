// Scenarios simulated with one device for each class of equal ones, and with a few microbatches for many, give what the
// simulation of every device and microbatch gives: times, memory, links, collectives and the critical path, whatever
// the model, strategy, platform, placement and disturbances.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "foreflow/scenario/run.h"
#include "support/random_scenario.h"

namespace foreflow::scenario::device_classes_test {
namespace {

using test::outcome_if_legal;
using test::Random;
using test::random_scenario;

// Busy times of links are sums of differences of times of milliseconds, each rounded to about 1e-18.
void expect_close(double actual, double expected, const std::string& what) {
  EXPECT_NEAR(actual, expected, 1e-9 * std::abs(expected) + 1e-14) << what;
}

void expect_same_devices(const report::Summary& folded, const report::Summary& flat) {
  std::map<int32_t, const report::DeviceSummary*> by_number;
  for (const report::DeviceSummary& device : folded.devices) {
    for (const stream::DeviceRange& range : device.members) {
      for (int32_t number = range.first; number <= range.last; number += range.step)
        EXPECT_TRUE(by_number.emplace(number, &device).second) << number;
    }
  }
  ASSERT_EQ(by_number.size(), flat.devices.size());
  for (const report::DeviceSummary& device : flat.devices) {
    const auto found = by_number.find(device.members.front().first);
    ASSERT_NE(found, by_number.end()) << device.name;
    const report::DeviceSummary& same = *found->second;
    expect_close(same.busy.value(), device.busy.value(), device.name);
    expect_close(same.compute.value(), device.compute.value(), device.name);
    expect_close(same.communication.value(), device.communication.value(), device.name);
    EXPECT_EQ(same.peak_memory, device.peak_memory) << device.name;
    EXPECT_EQ(same.capacity, device.capacity) << device.name;
  }
}

void expect_same_links(const report::Summary& folded, const report::Summary& flat) {
  std::map<int32_t, const report::LinkSummary*> by_link;
  for (const report::LinkSummary& link : folded.links) {
    for (const int32_t member : link.members) by_link.emplace(member, &link);
  }
  size_t count = 0;
  for (const report::LinkSummary& link : flat.links) {
    for (const int32_t member : link.members) {
      ++count;
      const auto found = by_link.find(member);
      ASSERT_NE(found, by_link.end()) << link.name;
      expect_close(found->second->bytes.value(), link.bytes.value(), link.name);
      expect_close(found->second->busy.value(), link.busy.value(), link.name);
      EXPECT_EQ(found->second->kind, link.kind);
    }
  }
  EXPECT_EQ(count, by_link.size());
}

// By what distinguishes them: those of equal time may stand in either order.
void expect_same_collectives(const report::Summary& folded, const report::Summary& flat) {
  std::multimap<std::string, const report::CollectiveSummary*> left, right;
  const auto key = [](const report::CollectiveSummary& one) {
    return one.name + " " + one.kind + " " + one.algorithm + " " + std::to_string(one.ranks) + " " +
           std::to_string(one.bytes.value());
  };
  for (const auto& one : folded.collectives) left.emplace(key(one), &one);
  for (const auto& one : flat.collectives) right.emplace(key(one), &one);
  ASSERT_EQ(left.size(), right.size());
  for (auto a = left.begin(), b = right.begin(); a != left.end(); ++a, ++b) {
    EXPECT_EQ(a->first, b->first);
    EXPECT_EQ(a->second->count, b->second->count) << a->first;
    expect_close(a->second->time.value(), b->second->time.value(), a->first);
    // Differences of nearly equal times.
    const double whole = b->second->time.value();
    EXPECT_NEAR(a->second->contention.value(), b->second->contention.value(), 1e-8 * whole) << a->first;
    EXPECT_NEAR(a->second->waiting.value(), b->second->waiting.value(), 1e-8 * (whole + b->second->waiting.value()))
        << a->first;
  }
}

void expect_same(const report::Summary& folded, const report::Summary& flat) {
  expect_close(folded.iteration_time.value(), flat.iteration_time.value(), "iteration time");
  EXPECT_EQ(folded.device_count, flat.device_count);
  expect_close(folded.mfu, flat.mfu, "mfu");
  expect_close(folded.hardware_rate.value(), flat.hardware_rate.value(), "hardware rate");
  EXPECT_EQ(folded.fits, flat.fits);
  EXPECT_EQ(folded.events.executed, flat.events.executed);
  EXPECT_EQ(folded.job.cost_provenance.dump(), flat.job.cost_provenance.dump());
  std::map<std::string, double> ops, others;
  for (const auto& op : folded.ops) ops[op.name] = op.seconds.value();
  for (const auto& op : flat.ops) others[op.name] = op.seconds.value();
  ASSERT_EQ(ops.size(), others.size());
  for (const auto& [name, seconds] : others) expect_close(ops[name], seconds, name);
  Seconds path;
  for (const auto& segment : folded.critical_path) path += segment.seconds;
  expect_close(path.value(), folded.iteration_time.value(), "critical path");
  expect_same_devices(folded, flat);
  expect_same_links(folded, flat);
  expect_same_collectives(folded, flat);
}

size_t longest(const stream::Program& program) {
  size_t most = 0;
  for (const stream::Stream& stream : program.streams) most = std::max(most, stream.items.size());
  return most;
}

class EqualDevices : public testing::TestWithParam<int> {};

TEST_P(EqualDevices, AreSimulatedOnceWithTheSameAnswer) {
  constexpr int kCases = 52;
  Random rng(static_cast<uint64_t>(GetParam()));
  int folded = 0, shortened = 0;
  for (int done = 0; done < kCases;) {
    PlatformRef platform;
    const auto scenario = random_scenario(rng, platform);
    if (!scenario) continue;
    SCOPED_TRACE(scenario->source.dump_compact());
    const auto flat = outcome_if_legal(*scenario, platform, false);
    if (!flat) continue;
    ++done;
    const auto once = outcome_if_legal(*scenario, platform, true);
    ASSERT_TRUE(once);
    if (once->program.devices.size() < flat->program.devices.size()) ++folded;
    if (longest(once->program) < longest(flat->program)) ++shortened;
    expect_same(once->summary, flat->summary);
    if (HasFailure()) return;
  }
  EXPECT_GT(folded, kCases / 4);  // or this compares a thing with itself
  EXPECT_GT(shortened, 0);
}

// Rings among unequal servers move hop by hop; the eight rails of the servers are alike.
TEST(EqualRings, AreSimulatedOnceHopByHop) {
  for (const char* coupling : {"auto", "credit"}) {
    SCOPED_TRACE(coupling);
    const std::string text = R"({
      "workload": {"model": "llama", "layers": 4, "hidden": 256, "heads": 8, "sequence": 64, "vocabulary": 1024,
                   "dtype": "bf16", "mode": "training", "optimizer": "adam"},
      "platform": {"parts": [{"topology": "dgx_a100", "nodes": 2}, {"topology": "dgx_h100", "nodes": 2}]},
      "engine": "simgrid", "strategy": {"dp": 2, "tp": 8, "pp": 2, "microbatches": 4, "global_batch": 8},
      "network": {"coupling": ")" +
                             std::string(coupling) + "\"}}";
    const Scenario scenario    = scenario::load(parse_json(text, "rings"), "rings");
    const PlatformRef platform = scenario::load_platform(scenario.platform);
    const auto flat = outcome_if_legal(scenario, platform, false), once = outcome_if_legal(scenario, platform, true);
    ASSERT_TRUE(flat && once);
    EXPECT_GE(flat->program.devices.size(), 4 * once->program.devices.size());
    expect_same(once->summary, flat->summary);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, EqualDevices, testing::Range(0, 20));

}  // namespace
}  // namespace foreflow::scenario::device_classes_test
