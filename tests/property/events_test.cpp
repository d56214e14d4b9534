// The events of a scenario are what its devices execute: the same work as often, and the same messages as often.
#include "foreflow/scenario/events.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/stream/compact.h"
#include "foreflow/stream/host_copy.h"

namespace foreflow::scenario::events_test {
namespace {

constexpr const char* kGpt = R"({ "name": "small GPT",
  "workload": { "model": "gpt", "layers": 4, "hidden": 256, "heads": 8, "sequence": 128, "vocabulary": 512, "dtype": "f16",
                "optimizer": "adam" },
  "platform": { "topology": "dgx_a100", "nodes": 2 },
  "strategy": { "global_batch": 32 }, "engine": "analytic" })";

Scenario scenario_with(const std::vector<std::string>& settings) {
  Json json = parse_json(kGpt, "gpt.json");
  for (const std::string& setting : settings) override_with(json, setting);
  return load(json, "gpt.json");
}

// Messages by op, bytes and members.
using Messages = std::map<std::tuple<std::string, double, size_t>, int64_t>;

Messages executed_messages(const stream::Program& program) {
  Messages messages;
  for (const stream::Instance& instance : program.instances) {
    const auto& what = nth(program.communications, instance.communication);
    std::set<int> devices;
    for (const int32_t stream : instance.members) devices.insert(nth(program.streams, stream).device);
    if (devices.size() > 1) ++messages[{what.name, what.bytes.value(), devices.size()}];
  }
  return messages;
}

void expect_executed(const Scenario& scenario) {
  const auto platform   = load_platform(scenario.platform);
  const auto sequential = build(scenario);
  const auto lowered    = lower_scenario(resolve(scenario, sequential, *platform).value(), sequential, *platform);
  const auto counts     = stream::executions(lowered.compact);
  double computed       = 0;
  for (size_t i = 0; i < counts.size(); ++i)
    computed += static_cast<double>(counts[i]) * lowered.compact.computes[i].duration.value();

  double in_events = 0;
  Messages messages;
  for (const Event& event : events(scenario, platform)) {
    if (event.scope == Scope::compute) in_events += static_cast<double>(event.count) * event.time.value();
    if (event.scope == Scope::intra_node || event.scope == Scope::inter_node)
      messages[{event.op, event.message.value(), static_cast<size_t>(event.ranks)}] += event.count;
  }
  EXPECT_NEAR(in_events, computed, 1e-9 * computed);
  EXPECT_EQ(messages, executed_messages(lowered.program()));
}

class EventsOfStrategies : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(EventsOfStrategies, AreWhatDevicesExecute) { expect_executed(scenario_with(GetParam())); }

INSTANTIATE_TEST_SUITE_P(
    EveryAxis, EventsOfStrategies,
    testing::Values(std::vector<std::string>{}, std::vector<std::string>{"strategy.dp=4"},
                    std::vector<std::string>{"strategy.tp=4"}, std::vector<std::string>{"strategy.pp=4"},
                    std::vector<std::string>{"strategy.dp=2", "strategy.tp=4", "strategy.pp=2"},
                    std::vector<std::string>{"strategy.dp=4", "strategy.tp=2", "strategy.pp=2", "strategy.zero=1"},
                    std::vector<std::string>{"strategy.tp=8", "strategy.pp=2", "strategy.sequence_parallel=true"},
                    std::vector<std::string>{"strategy.pp=2", "strategy.recompute=full", "strategy.dp=8"},
                    std::vector<std::string>{"strategy.cp=2", "strategy.tp=2", "strategy.dp=4"}));

// Masks have no operands, and each stage makes its own.
TEST(Events, OfNoDeviceAreOnTheFirstOfTheirStage) {
  Json json = parse_json(kGpt, "gpt.json");
  json.set("platform", parse_json(R"({ "parts": [{ "topology": "dgx_a100", "nodes": 1 },
                                                 { "topology": "dgx1", "nodes": 1 }],
                                       "fabric": "fat_tree2" })",
                                  "platform"));
  for (const char* setting : {"strategy.tp=8", "strategy.pp=2", "strategy.attention=unfused"})
    override_with(json, setting);
  const Scenario scenario = load(json, "gpt.json");
  expect_executed(scenario);
  std::map<std::string, int64_t> masks;
  for (const Event& event : events(scenario, load_platform(scenario.platform))) {
    if (event.op == "Trilu") masks[event.device] += event.count;
  }
  ASSERT_EQ(masks.size(), 2U);
  EXPECT_EQ(masks.begin()->second, masks.rbegin()->second);
}

TEST(Events, AreOnOneNodeOrOnSeveral) {
  const Scenario scenario = scenario_with({"strategy.dp=2", "strategy.tp=8"});
  std::map<Scope, int64_t> counts;
  for (const Event& event : events(scenario, load_platform(scenario.platform))) {
    counts[event.scope] += event.count;
    if (event.scope == Scope::intra_node) {
      EXPECT_EQ(event.ranks, 8);
      EXPECT_EQ(event.nodes, 1);
    }
    if (event.scope == Scope::inter_node) {
      EXPECT_EQ(event.ranks, 2);
      EXPECT_EQ(event.nodes, 2);
    }
  }
  EXPECT_GT(counts[Scope::intra_node], 0);
  EXPECT_GT(counts[Scope::inter_node], 0);
}

TEST(Events, AreDistinct) {
  const Scenario scenario = scenario_with({"strategy.dp=2", "strategy.tp=4", "strategy.pp=2"});
  std::set<std::tuple<std::string, int, int>> seen;
  for (const Event& event : events(scenario, load_platform(scenario.platform)))
    EXPECT_TRUE(seen.emplace(event.signature, event.ranks, event.nodes).second) << event.signature;
}

}  // namespace
}  // namespace foreflow::scenario::events_test
