// Every start and end against timelines that were calculated independently with exact rational arithmetic, all with
// four devices and eight microbatches (Chimera also with four).
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "foreflow/base/json.h"
#include "foreflow/base/text.h"
#include "foreflow/schedule/describe.h"
#include "support/data.h"

namespace foreflow::schedule::oracle_test {
namespace {

struct Oracle {
  const char* key;
  const char* schedule;
  Costs costs      = {};
  int microbatches = 8;
};
void PrintTo(const Oracle& oracle, std::ostream* out) { *out << oracle.key; }

const std::vector<Oracle>& compared() {
  static const std::vector<Oracle> all = {{"gpipe", "gpipe"},
                                          {"1f1b", "1f1b"},
                                          {"eager_1f1b", "eager_1f1b"},
                                          {"1f1b_comm0.5", "1f1b", {.hop = 0.5}},
                                          {"1f1b_comm1.0", "1f1b", {.hop = 1}},
                                          {"eager_comm0.5", "eager_1f1b", {.hop = 0.5}},
                                          {"eager_comm1.0", "eager_1f1b", {.hop = 1}},
                                          {"interleaved_v2", "interleaved_1f1b"},
                                          {"looped_bfs_v2", "looped_bfs"},
                                          {"zb_h1", "zb_h1"},
                                          {"zb_h2", "zb_h2"},
                                          {"zb_v", "zb_v"},
                                          {"chimera_D4_N4_eq", "chimera", whole_costs(1, 1), 4},
                                          {"chimera_D4_N4_2x", "chimera", {}, 4},
                                          {"chimera_D4_N8_eq", "chimera", whole_costs(1, 1)},
                                          {"chimera_D4_N8_2x", "chimera"},
                                          {"dualpipe", "dualpipe"},
                                          {"dualpipev", "dualpipe_v"},
                                          {"inference", "inference"}};
  return all;
}

Json oracles() {
  const std::string file = test::data("schedules_P4_K8.json");
  return parse_json(read_file(file), file);
}

// The oracle's tasks are [kind, microbatch, stage, pipe, start, end]; the second chunk of a device is the up pipe or
// has a stage of 4 or more.
Json expected_timeline(const JsonView& oracle) {
  Json timeline = Json::array();
  for (const JsonView& device : oracle.at("timeline").items()) {
    Json row = Json::array();
    for (const JsonView& task : device.items()) {
      const auto fields   = task.items();
      const int64_t stage = fields[2].as_int(), pipe = fields[3].as_int();
      Json item = Json::object();
      item.set("kind", fields[0].as_string()).set("microbatch", fields[1].as_int()).set("chunk", pipe + stage / 4);
      item.set("stage", stage).set("pipe", pipe);
      item.set("start", fields[4].as_number()).set("end", fields[5].as_number());
      row.push(std::move(item));
    }
    timeline.push(std::move(row));
  }
  return timeline;
}

class ExactTimeline : public testing::TestWithParam<Oracle> {};

TEST_P(ExactTimeline, EqualsTheOracle) {
  const Json all        = oracles();
  const JsonView oracle = JsonView(all, "schedules_P4_K8.json").at(GetParam().key);

  const Json ours = to_json({.schedule     = schedules().get(GetParam().schedule, "test"),
                             .devices      = 4,
                             .microbatches = GetParam().microbatches,
                             .costs        = GetParam().costs});

  EXPECT_EQ(ours.find("timeline")->dump(), expected_timeline(oracle).dump());
  EXPECT_EQ(ours.find("makespan")->dump(), oracle.at("makespan").json().dump());
  EXPECT_EQ(ours.find("span_per_stage")->dump(), oracle.at("span_per_device").json().dump());
  EXPECT_EQ(ours.find("peak_in_flight")->dump(), oracle.at("peak_inflight_units").json().dump());
  EXPECT_EQ(ours.find("ideal")->dump(), oracle.at("busy_per_device").items().front().json().dump());
}

INSTANTIATE_TEST_SUITE_P(P4K8, ExactTimeline, testing::ValuesIn(compared()), [](const auto& info) {
  std::string name = info.param.key;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

TEST(Oracles, AreAllCompared) {
  const Json all = oracles();
  std::vector<std::string> keys, known;
  for (const auto& [key, value] : *all.if_object()) keys.push_back(key);
  for (const Oracle& oracle : compared()) known.emplace_back(oracle.key);
  std::sort(keys.begin(), keys.end());
  std::sort(known.begin(), known.end());
  EXPECT_EQ(keys, known);
}

}  // namespace
}  // namespace foreflow::schedule::oracle_test
