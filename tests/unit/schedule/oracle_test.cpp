// Every start and end against timelines that were calculated independently with exact rational arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "foreflow/base/json.h"
#include "foreflow/base/text.h"
#include "foreflow/schedule/describe.h"

namespace foreflow::schedule {
namespace {

struct Oracle {
  const char* key;
  const char* schedule;
  double hop;
};
void PrintTo(const Oracle& oracle, std::ostream* out) { *out << oracle.key; }

std::string oracle_file() {
  for (const char* up : {"/../shared", "/../../shared"}) {
    const std::string file = std::string(FOREFLOW_SOURCE_DIR) + up + "/oracles/schedules_P4_K8.json";
    if (std::filesystem::exists(file)) return file;
  }
  return "";
}

// The oracle's tasks are [kind, microbatch, stage, direction, start, end].
Json expected_timeline(const JsonView& oracle) {
  Json timeline = Json::array();
  for (const JsonView& device : oracle.at("timeline").items()) {
    Json row = Json::array();
    for (const JsonView& task : device.items()) {
      const auto fields = task.items();
      Json item         = Json::object();
      item.set("kind", fields[0].as_string()).set("microbatch", fields[1].as_int()).set("chunk", fields[3].as_int());
      item.set("stage", fields[2].as_int()).set("pipe", fields[3].as_int());
      item.set("start", fields[4].as_number()).set("end", fields[5].as_number());
      row.push(std::move(item));
    }
    timeline.push(std::move(row));
  }
  return timeline;
}

class ExactTimeline : public testing::TestWithParam<Oracle> {};

TEST_P(ExactTimeline, EqualsTheOracle) {
  const std::string file = oracle_file();
  if (file.empty()) GTEST_SKIP() << "no folder ../shared with the oracles";
  const Json oracles    = parse_json(read_file(file), file);
  const JsonView oracle = JsonView(oracles, file).at(GetParam().key);

  const Json ours = to_json({.schedule     = schedules().get(GetParam().schedule, "test"),
                             .devices      = 4,
                             .microbatches = 8,
                             .costs        = {.hop = GetParam().hop}});

  EXPECT_EQ(ours.find("timeline")->dump(), expected_timeline(oracle).dump());
  EXPECT_EQ(ours.find("makespan")->dump(), oracle.at("makespan").json().dump());
  EXPECT_EQ(ours.find("span_per_stage")->dump(), oracle.at("span_per_device").json().dump());
  EXPECT_EQ(ours.find("peak_in_flight")->dump(), oracle.at("peak_inflight_units").json().dump());
  EXPECT_EQ(ours.find("ideal")->dump(), oracle.at("busy_per_device").items().front().json().dump());
}

INSTANTIATE_TEST_SUITE_P(P4K8, ExactTimeline,
                         testing::Values(Oracle{"gpipe", "gpipe", 0}, Oracle{"1f1b", "1f1b", 0},
                                         Oracle{"eager_1f1b", "eager_1f1b", 0}, Oracle{"1f1b_comm0.5", "1f1b", 0.5},
                                         Oracle{"1f1b_comm1.0", "1f1b", 1}, Oracle{"eager_comm0.5", "eager_1f1b", 0.5},
                                         Oracle{"eager_comm1.0", "eager_1f1b", 1}),
                         [](const auto& info) {
                           std::string name = info.param.key;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

// The published totals for GPipe with latency, of which the file has no timeline.
TEST(Gpipe, TakesThePublishedTimeWithLatency) {
  const ScheduleDef& gpipe = schedules().get("gpipe", "test");
  for (const auto& [hop, expected] : {std::pair{0.5, 36.0}, {1.0, 39.0}, {1.5, 42.0}, {2.0, 45.0}}) {
    EXPECT_EQ(*to_json({.schedule = gpipe, .devices = 4, .microbatches = 8, .costs = {.hop = hop}})
                   .find("makespan")
                   ->if_double(),
              expected)
        << hop;
  }
}

}  // namespace
}  // namespace foreflow::schedule
