// The events of a scenario, measured, predict the scenario again: each device takes the times of its own, and each
// message those that were measured on as many nodes.
#include <gtest/gtest.h>

#include <map>

#include "foreflow/base/text.h"
#include "foreflow/cost/calibration.h"
#include "foreflow/scenario/events.h"
#include "support/temporary.h"

namespace foreflow::scenario::measured_events_test {
namespace {

const std::string kRoot = FOREFLOW_SOURCE_DIR;

Scenario with_cost(Json json, const Json& cost) {
  const test::TemporaryFolder folder;
  write_file(folder / "c.json", cost.dump());
  return load(json.set("cost", Json::object().set("model", folder / "c.json")), folder / "scenario.json");
}

double iteration_time(const Scenario& scenario) { return run(scenario).summary.iteration_time.value(); }

// What `foreflow events --csv` writes, read back, with the times that the events have.
std::vector<cost::Measurement> measured(const std::vector<Event>& events) {
  auto rows = to_measure(events, have_several_devices(events));
  EXPECT_EQ(rows.size(), events.size());
  for (size_t i = 0; i < rows.size(); ++i) rows[i].time = rows[i].fastest = events[i].time;
  return cost::parse_csv(cost::print_csv(rows), "times.csv");
}

Json calibrated(const std::vector<cost::Measurement>& rows) {
  return Json::object().set("model", "calibrated").set("families", cost::to_json(cost::fit(rows)));
}

TEST(MeasuredEvents, OfTwoKindsOfDevicesAreThoseOfEach) {
  const std::string file = kRoot + "/scenarios/gpt_mixed.json";
  const Json json        = parse_json(read_file(file), file);
  const Scenario asked   = load(json, file);
  const auto computes    = [&] {
    auto all = events(asked, load_platform(asked.platform));
    std::erase_if(all, [](const Event& event) { return event.scope != Scope::compute; });
    return all;
  }();
  ASSERT_TRUE(have_several_devices(computes));
  const Scenario measured_once = with_cost(json, calibrated(measured(computes)));
  EXPECT_NEAR(iteration_time(measured_once) / iteration_time(asked), 1, 0.01);
  std::map<std::pair<std::string, std::string>, double> times;
  for (const Event& event : computes) times[{event.device, event.signature}] = event.time.value();
  for (const Event& event : events(measured_once, load_platform(asked.platform))) {
    if (event.scope != Scope::compute) continue;
    EXPECT_NEAR(event.time.value() / times.at({event.device, event.signature}), 1, 1e-9) << event.signature;
    EXPECT_EQ(event.provenance, "table") << event.signature;
  }
}

// Four stages of two replicas: sends of one size stay inside a server, or go from one to the other.
const char* const kTwoServers = R"({ "name": "small GPT",
  "workload": { "model": "gpt", "layers": 4, "hidden": 256, "heads": 8, "sequence": 128, "vocabulary": 512, "dtype": "f16",
                "optimizer": "adam" },
  "platform": { "topology": "dgx_a100", "nodes": 2 },
  "strategy": { "dp": 2, "tp": 2, "pp": 4, "microbatches": 4, "global_batch": 16 },
  "placement": { "order": "tp-cp-dp-pp" }, "cost": { "model": "roofline" }, "engine": "analytic" })";

std::map<std::pair<std::string, int>, Event> messages_of(const Scenario& scenario) {
  std::map<std::pair<std::string, int>, Event> messages;
  for (const Event& event : events(scenario, load_platform(scenario.platform))) {
    if (event.ranks > 1) messages.emplace(std::pair(event.signature, event.nodes), event);
  }
  return messages;
}

TEST(MeasuredEvents, OfMessagesAreThoseOnAsManyNodes) {
  const Json json      = parse_json(kTwoServers, "two.json");
  const Scenario asked = load(json, "two.json");
  const auto all       = events(asked, load_platform(asked.platform));
  const auto simulated = messages_of(asked);
  size_t both          = 0;
  for (const auto& [key, event] : simulated) both += key.second == 2 && simulated.contains({key.first, 1}) ? 1 : 0;
  ASSERT_GT(both, 0U);
  const Scenario again = with_cost(json, calibrated(measured(all)));
  EXPECT_NEAR(iteration_time(again) / iteration_time(asked), 1, 0.01);
  for (const auto& [key, event] : messages_of(again)) {
    EXPECT_EQ(event.provenance, "table") << key.first;
    EXPECT_NEAR(event.time / simulated.at(key).time, 1, 1e-9) << key.first << " on " << key.second;
  }
  EXPECT_EQ(run(again).summary.assumed, run(asked).summary.assumed);
}

// Times that are a thousand times too long, so that they show where they are taken.
TEST(MeasuredEvents, OnOneNodePriceNoMessageOnTwo) {
  const Json json      = parse_json(kTwoServers, "two.json");
  const Scenario asked = load(json, "two.json");
  auto all             = events(asked, load_platform(asked.platform));
  std::erase_if(all, [](const Event& event) { return event.nodes > 1; });
  auto rows = measured(all);
  for (cost::Measurement& row : rows) row.time = row.ranks > 1 ? 1000 * row.time : row.time;
  const Scenario again = with_cost(json, calibrated(rows));
  const auto simulated = messages_of(asked);
  for (const auto& [key, event] : messages_of(again)) {
    EXPECT_EQ(event.provenance, key.second == 1 ? "table" : "simulated") << key.first;
    EXPECT_NEAR(event.time / simulated.at(key).time, key.second == 1 ? 1000 : 1, 1e-6) << key.first;
  }
  const auto outcome = run(again);
  ASSERT_FALSE(outcome.summary.assumed.empty());
  EXPECT_EQ(outcome.summary.assumed.back(),
            "messages are simulated on other numbers of nodes than they were measured on (1): MPIAllreduce, Send");
}

}  // namespace
}  // namespace foreflow::scenario::measured_events_test
