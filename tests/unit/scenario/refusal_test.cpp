// What a strategy cannot do, as values: by cause and key.
#include <gtest/gtest.h>

#include "foreflow/scenario/run.h"

namespace foreflow::scenario::refusal_test {
namespace {

Scenario scenario_of(const std::string& workload, const std::string& strategy) {
  const std::string text = R"({"workload": )" + workload + R"(, "platform": {"topology": "dgx_a100", "nodes": 1},
                              "engine": "analytic", "strategy": )" +
                           strategy + "}";
  return load(parse_json(text, "s.json"), "s.json");
}

Refusal refusal_of(const std::string& workload, const std::string& strategy) {
  const Scenario scenario = scenario_of(workload, strategy);
  const auto program      = try_build(scenario);
  if (!program) return program.refusal();
  return try_run(scenario, *program, load_platform(scenario.platform)).refusal();
}

const std::string kMlp = R"({"model": "mlp", "layers": 4, "hidden": 64})";
const std::string kGpt =
    R"({"model": "gpt", "layers": 2, "hidden": 64, "heads": 4, "sequence": 16, "vocabulary": 100})";

TEST(Refusals, NameTheKeyOfThePassThatRefuses) {
  const Refusal no = refusal_of(kMlp, R"({"global_batch": 8, "recompute": "selective"})");
  EXPECT_EQ(no.cause, Cause::program);
  EXPECT_EQ(no.key, "recompute");
  EXPECT_EQ(no.place, "s.json: $.strategy.recompute");
}

TEST(Refusals, OfAPlanAreAtThePlan) {
  const Refusal no = refusal_of(kGpt, R"({"global_batch": 8, "tp": 2, "tensor_plan": {"nothing.*": 1}})");
  EXPECT_EQ(no.cause, Cause::plan);
  EXPECT_EQ(no.key, "tensor_plan");
  EXPECT_EQ(no.why.find("\"nothing.*\" matches no weight"), 0U) << no.why;
}

TEST(Refusals, OfMemoryAreAtRecompute) {
  const std::string large = R"({"model": "mlp", "layers": 8, "hidden": 40000})";
  const Refusal no        = refusal_of(large, R"({"global_batch": 8, "recompute": "optimal"})");
  EXPECT_EQ(no.cause, Cause::memory);
  EXPECT_EQ(no.key, "recompute");
}

class WithStrategy : public testing::Test {
 protected:
  Expected<Scenario> asked(const std::string& strategy, const Json& placement = {}) const {
    return with_strategy(base_, parse_json(strategy, "test"), placement, *platform_);
  }

  const Scenario base_        = scenario_of(kGpt, "{}");
  const PlatformRef platform_ = load_platform(base_.platform);
};

TEST_F(WithStrategy, ReadsWhatLoadReads) {
  const auto read = asked(R"({"dp": 2, "tp": 2, "global_batch": 8})", parse_json(R"({"order": "dp-tp-pp"})", "test"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->strategy.tp, 2);
  EXPECT_EQ(describe(read->placement), "packed, order dp-tp-pp");
  const Scenario loaded = load(read->source, "s.json");
  EXPECT_EQ(loaded.strategy.microbatches, read->strategy.microbatches);
  EXPECT_EQ(run(*read, build(*read), platform_).summary.iteration_time,
            run(loaded, build(loaded), platform_).summary.iteration_time);
}

TEST_F(WithStrategy, RefusesAtTheKey) {
  const auto no = asked(R"({"dp": 3, "global_batch": 8})");
  ASSERT_FALSE(no);
  EXPECT_EQ(no.refusal().cause, Cause::value);
  EXPECT_EQ(no.refusal().key, "dp");
  EXPECT_EQ(sentence(no.refusal()), "s.json: $.strategy.dp: 3 does not divide the global batch 8; use 1, 2, 4 or 8");
}

TEST_F(WithStrategy, RefusesMoreDevicesThanThereAre) {
  const auto no = asked(R"({"dp": 8, "tp": 4, "global_batch": 8})");
  ASSERT_FALSE(no);
  EXPECT_EQ(no.refusal().cause, Cause::devices);
  EXPECT_EQ(no.refusal().place, "s.json: $.strategy");
}

TEST_F(WithStrategy, RefusesDevicesThatAreNotThere) {
  const auto no = asked("{}", parse_json(R"({"devices": [9]})", "test"));
  ASSERT_FALSE(no);
  EXPECT_EQ(no.refusal().cause, Cause::placement);
  EXPECT_EQ(no.refusal().place, "s.json: $.placement.devices[0]");
}

TEST(Resolving, LeavesNoQuestionOpen) {
  Scenario scenario            = scenario_of(kGpt, R"({"global_batch": 8, "recompute": "optimal"})");
  const Sequential program     = build(scenario);
  const PlatformRef platform   = load_platform(scenario.platform);
  scenario.disturbances        = simulate::NamedDisturbances{{.slowdowns = {{0, 2}}}, {{"node0-gpu3", "test"}}, {}};
  const Expected<Scenario> all = resolve(scenario, program, *platform);
  ASSERT_TRUE(all);
  EXPECT_FALSE(is_resolved(scenario.strategy));
  EXPECT_TRUE(is_resolved(all->strategy));
  EXPECT_FALSE(all->disturbances);
  ASSERT_EQ(all->simulation.disturbances.slowdowns.size(), 1U);
  EXPECT_EQ(all->simulation.disturbances.slowdowns[0].device, 3);
}

}  // namespace
}  // namespace foreflow::scenario::refusal_test
