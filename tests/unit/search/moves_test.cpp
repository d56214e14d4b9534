// From which points a search goes to which others.
#include "search/space/moves.h"

#include <gtest/gtest.h>

namespace foreflow::search::moves_test {
namespace {

Json question() {
  return parse_json(R"({
    "workload": {"model": "mlp", "layers": 16, "hidden": 64}, "platform": {"topology": "dgx2"}, "engine": "analytic",
    "strategy": {"dp": 1, "tp": 1, "pp": 4, "microbatches": 8, "global_batch": 16, "recompute": "none", "zero": 0,
                 "schedule": ["1f1b", "interleaved_1f1b", "zb_v", "chimera"]}})",
                    "mlp.json");
}

std::string schedule_of(const Json& point) { return *point.find("schedule")->if_string(); }

// Shares are one for each stage. Interleaved schedules have several stages on a device, those with two pipes one.
TEST(Moves, KeepSharesWhereThereAreAsManyStages) {
  const Json source = question();
  const Space space(source, "mlp.json", clusters_of(source, "mlp.json"));
  const Region& region = space.regions().front();
  const Json start     = completed(space, region, Json::object(), 0);
  ASSERT_EQ(schedule_of(start), "1f1b");
  const std::vector<Json> moved = partitions(space, region, start);
  ASSERT_FALSE(moved.empty());
  std::map<std::string, bool> keeps;
  for (const char* schedule : {"interleaved_1f1b", "zb_v", "chimera"}) {
    const Json other = changed(space, region, moved.front(), Json::object().set("schedule", schedule));
    ASSERT_EQ(schedule_of(other), schedule);
    keeps[schedule] = other.find("stage_shares") != nullptr;
    EXPECT_EQ(partitions(space, region, other).empty(), !keeps[schedule]) << schedule;
  }
  EXPECT_EQ(keeps, (std::map<std::string, bool>{{"interleaved_1f1b", false}, {"zb_v", false}, {"chimera", true}}));
}

}  // namespace
}  // namespace foreflow::search::moves_test
