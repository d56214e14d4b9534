// The streams of chosen devices, out of a run in which one device was simulated for all that are alike, are those of
// the simulation of every device: places, items, times, memory, and whom each communicates with.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/report/memory.h"
#include "support/random_scenario.h"
#include "support/random_streams.h"

namespace foreflow::scenario::chosen_devices_test {
namespace {

using test::draw;
using test::outcome_if_legal;
using test::Random;
using test::random_scenario;

const std::string& event_of(const stream::Program& program, const stream::Item& item) {
  const auto event = static_cast<size_t>(item.event);
  return item.instance < 0 ? program.computes[event].name : program.communications[event].name;
}

// The names of the streams that take part in the item.
std::vector<std::string> members_of(const stream::Program& program, const stream::Item& item) {
  std::vector<std::string> names;
  if (item.instance < 0) return names;
  for (const int32_t member : nth(program.instances, item.instance).members)
    names.push_back(nth(program.streams, member).name);
  return names;
}

void expect_close(Seconds actual, Seconds expected) {
  EXPECT_NEAR(actual.value(), expected.value(), 1e-9 * std::abs(expected.value()) + 1e-15);
}

void expect_same_stream(const simulate::Run& folded, const simulate::Run& flat, size_t s) {
  const stream::Stream &one = folded.program.streams[s], &other = flat.program.streams[s];
  EXPECT_EQ(one.name, other.name);
  EXPECT_EQ(one.device, other.device);
  ASSERT_EQ(one.items.size(), other.items.size());
  ASSERT_EQ(folded.timeline.records[s].size(), one.items.size());
  int32_t latest = -1;
  for (size_t i = 0; i < one.items.size(); ++i) {
    const stream::Item &item = one.items[i], &same = other.items[i];
    EXPECT_EQ(event_of(folded.program, item), event_of(flat.program, same)) << i;
    EXPECT_EQ(members_of(folded.program, item), members_of(flat.program, same)) << i;
    expect_close(folded.timeline.records[s][i].start, flat.timeline.records[s][i].start);
    expect_close(folded.timeline.records[s][i].end, flat.timeline.records[s][i].end);
    if (item.instance < 0) continue;
    EXPECT_GT(item.instance, latest);
    latest = item.instance;
  }
}

// The nth communication of two streams is the same one where it was in the other run.
void expect_same_meetings(const simulate::Run& folded, const simulate::Run& flat) {
  std::map<int32_t, int32_t> same;
  for (size_t s = 0; s < folded.program.streams.size(); ++s) {
    const auto &items = folded.program.streams[s].items, &others = flat.program.streams[s].items;
    for (size_t i = 0; i < items.size(); ++i) {
      if (items[i].instance < 0) continue;
      const auto [found, fresh] = same.emplace(items[i].instance, others[i].instance);
      EXPECT_EQ(found->second, others[i].instance) << folded.program.streams[s].name << " " << i;
    }
  }
  std::set<int32_t> different;
  for (const auto& [one, other] : same) different.insert(other);
  EXPECT_EQ(different.size(), same.size());
}

void expect_same_memory(const simulate::Run& folded, const simulate::Run& flat, int device) {
  if (nth(flat.program.devices, device).storage == nullptr) return;
  const auto curve = report::memory_by_class(folded.program, folded.timeline, device);
  const auto other = report::memory_by_class(flat.program, flat.timeline, device);
  report::ClassBytes most{}, others{};
  for (const report::ClassPoint& point : curve) {
    for (size_t kind = 0; kind < most.size(); ++kind) most[kind] = std::max(most[kind], point.classes[kind]);
  }
  for (const report::ClassPoint& point : other) {
    for (size_t kind = 0; kind < most.size(); ++kind) others[kind] = std::max(others[kind], point.classes[kind]);
  }
  EXPECT_EQ(most, others);
  EXPECT_EQ(curve.back().classes, other.back().classes);
}

void expect_same(const simulate::Run& folded, const simulate::Run& flat) {
  ASSERT_EQ(folded.program.devices.size(), flat.program.devices.size());
  for (size_t d = 0; d < flat.program.devices.size(); ++d) {
    const stream::DeviceUse &one = folded.program.devices[d], &other = flat.program.devices[d];
    EXPECT_EQ(one.index, other.index);
    EXPECT_EQ(one.place, other.place);
    EXPECT_EQ(one.initial, other.initial);
    EXPECT_EQ(one.count(), 1);
    expect_same_memory(folded, flat, static_cast<int>(d));
  }
  ASSERT_EQ(folded.program.streams.size(), flat.program.streams.size());
  for (size_t s = 0; s < flat.program.streams.size(); ++s) expect_same_stream(folded, flat, s);
  expect_same_meetings(folded, flat);
  expect_close(folded.timeline.makespan, flat.timeline.makespan);
}

class ChosenDevices : public testing::TestWithParam<int> {};

TEST_P(ChosenDevices, DoWhatTheyDoWhereAllAreSimulated) {
  constexpr int kCases = 12;
  Random rng(static_cast<uint64_t>(GetParam()) + 1000);
  int folded = 0;
  for (int done = 0; done < kCases;) {
    PlatformRef platform;
    const auto scenario = random_scenario(rng, platform);
    if (!scenario) continue;
    SCOPED_TRACE(scenario->source.dump_compact());
    const auto flat = outcome_if_legal(*scenario, platform, false);
    if (!flat) continue;
    ++done;
    const auto once = outcome_if_legal(*scenario, platform, true, true);
    ASSERT_TRUE(once);
    if (once->program.devices.size() < flat->program.devices.size()) ++folded;
    std::set<int32_t> numbers;
    for (int i = draw(rng, 1, 6); i-- > 0;)
      numbers.insert(draw(rng, 1, static_cast<int>(flat->program.devices.size())));
    const bool all    = draw(rng, 0, 3) == 0;
    const auto chosen = [&](int32_t number) { return all || numbers.contains(number); };
    expect_same(only_devices(*once, chosen), only_devices(*flat, chosen));
    if (HasFailure()) return;
  }
  EXPECT_GT(folded, 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ChosenDevices, testing::Range(0, 20));

}  // namespace
}  // namespace foreflow::scenario::chosen_devices_test
