// Stages with unequal numbers of shards in scenarios: what is refused, how many devices there are, and what it is
// worth.
#include <gtest/gtest.h>

#include <map>

#include "foreflow/base/text.h"
#include "foreflow/reshard/strategy.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario::unequal_stages_test {
namespace {

const std::string kGpt = R"({"workload": {"model": "gpt", "layers": 8, "hidden": 1024, "heads": 16, "sequence": 512,
                                          "vocabulary": 2048, "dtype": "f16"},
                             "platform": {"topology": "p3_8xlarge", "nodes": 4}, "strategy": )";

Scenario scenario(const std::string& strategy) {
  return load(parse_json(kGpt + strategy + "}", "gpt.json"), "gpt.json");
}

std::string refusal(const std::string& strategy) {
  try {
    run(scenario(strategy));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

report::Summary predicted(const std::string& strategy) { return run(scenario(strategy)).summary; }

TEST(UnequalStages, HaveTheirDevicesOneAfterTheOther) {
  const Strategy strategy = scenario(R"({"dp": 2, "pp": 3, "stage_tp": "4:2:1", "global_batch": 8})").strategy;
  EXPECT_EQ(strategy.tp, 4);
  EXPECT_EQ(strategy.devices(), 14);
  EXPECT_EQ(strategy.first_rank(2), 6);
  EXPECT_EQ(strategy.device_of_rank(5), 1);
  EXPECT_EQ(
      predicted(R"({"dp": 2, "pp": 3, "stage_tp": "4:2:1", "global_batch": 8, "microbatches": 2})").devices.size() > 0,
      true);
}

TEST(UnequalStages, ThatAreEqualAreThoseOfTp) {
  const std::string rest = R"("pp": 2, "global_batch": 8, "microbatches": 4})";
  EXPECT_FALSE(scenario(R"({"stage_tp": "4:4", )" + rest).strategy.has_unequal_stages());
  EXPECT_EQ(predicted(R"({"stage_tp": "4:4", )" + rest).iteration_time,
            predicted(R"({"tp": 4, )" + rest).iteration_time);
}

TEST(UnequalStages, AreRefusedInOneLine) {
  const std::string where = "gpt.json: $.strategy.stage_tp: ";
  EXPECT_EQ(refusal(R"({"pp": 2, "stage_tp": "4:2:1"})"),
            where + "has 3 degrees for pp = 2; write one for each device of the pipeline");
  EXPECT_EQ(refusal(R"({"pp": 2, "stage_tp": "4:x"})"),
            where + "\"x\" is no number of shards; write one for each stage, like \"4:2\"");
  EXPECT_EQ(refusal(R"({"pp": 2, "stage_tp": "3:2"})"),
            where + "3 does not divide the 16 attention heads; use 1, 2, 4, 8 or 16");
  EXPECT_EQ(refusal(R"({"pp": 2, "tp": 2, "stage_tp": "4:2"})"),
            "gpt.json: $.strategy.tp: 2 is not the largest of stage_tp, which is 4; leave one of the two out");
}

TEST(UnequalStages, HaveContextsOfTheirOwn) {
  const std::string text  = R"({"dp": 2, "pp": 3, "stage_tp": "2:1:1", "stage_cp": "1:2:1", "global_batch": 8,
                                "microbatches": 2})";
  const Strategy strategy = scenario(text).strategy;
  EXPECT_EQ(strategy.cp, 2);
  EXPECT_EQ(strategy.devices(), 2 * (2 * 1 + 1 * 2 + 1 * 1));
  EXPECT_EQ(strategy.first_rank(2), 4);
  EXPECT_EQ(strategy.device_of_rank(3), 1);
  EXPECT_GT(predicted(text).iteration_time, Seconds(0));
  EXPECT_FALSE(
      scenario(R"({"pp": 2, "stage_cp": "2:2", "global_batch": 8, "microbatches": 4})").strategy.has_unequal_stages());
}

TEST(UnequalStages, AreRefusedWhereTheyCannotShareSequences) {
  const std::string where = "gpt.json: $.strategy.stage_cp: ";
  EXPECT_EQ(refusal(R"({"pp": 2, "stage_cp": "2:1:1"})"),
            where + "has 3 degrees for pp = 2; write one for each device of the pipeline");
  EXPECT_EQ(refusal(R"({"pp": 2, "stage_cp": "2:0"})"),
            where + "\"0\" is no number of ranks that share sequences; write one for each stage, like \"4:2\"");
  EXPECT_EQ(
      refusal(R"({"pp": 2, "stage_cp": "1:3"})"),
      where + "the 3 parts of the sequence in stage 2 do not divide its length of 512; pad it to a multiple of 3");
  EXPECT_EQ(refusal(R"({"pp": 2, "cp": 1, "stage_cp": "2:1"})"),
            "gpt.json: $.strategy.cp: 1 is not the largest of stage_cp, which is 2; leave one of the two out");
  EXPECT_EQ(refusal(R"({"pp": 2, "tp": 8, "stage_cp": "4:1", "context_attention": "all_to_all"})"),
            where +
                "4 ranks of stage 1 do not divide the 2 heads of keys and values that all_to_all shares; use ring, or "
                "a divisor of it");
}

// The sequences are so short that sharing them costs more than it saves: twice as much where both stages do.
TEST(UnequalStages, PayForTheContextsThatTheyHave) {
  const std::string rest = R"("pp": 2, "tp": 2, "global_batch": 8, "microbatches": 4})";
  const auto time    = [&](const std::string& stages) { return predicted("{" + stages + ", " + rest).iteration_time; };
  const Seconds both = time(R"("cp": 2)"), none = time(R"("cp": 1)"), first = time(R"("stage_cp": "2:1")");
  EXPECT_GT(first, none);
  EXPECT_LT(first, both);
}

TEST(UnequalStages, AreRefusedWhereTwoPipesRunAStage) {
  const std::string text =
      refusal(R"({"pp": 2, "stage_tp": "4:2", "global_batch": 8, "microbatches": 4, "schedule": "chimera"})");
  EXPECT_NE(text.find("must be sharded in the same way"), std::string::npos) << text;
}

TEST(UnequalStages, AreRefusedInAnotherOrder) {
  const std::string text = kGpt + R"({"pp": 2, "stage_tp": "4:2", "global_batch": 8, "microbatches": 4},
                                     "placement": {"order": "pp-tp-dp"}})";
  try {
    run(load(parse_json(text, "gpt.json"), "gpt.json"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.where()), "gpt.json: $.placement.order");
  }
}

// The stage with four devices has two thirds of the layers, so all compute for about as long.
TEST(UnequalStages, ShareTheWorkByTheirDevices) {
  const report::Summary summary =
      run(load_file(std::string(FOREFLOW_SOURCE_DIR) + "/scenarios/gpt_unequal_stages_6_a100.json")).summary;
  double least = 1e300, most = 0;
  for (const auto& device : summary.devices) {
    least = std::min(least, device.compute.value());
    most  = std::max(most, device.compute.value());
  }
  EXPECT_LT(most, 1.2 * least);
}

// Without sequence parallelism each device of the second stage normalises and adds all rows, so it takes fewer layers
// than the first. Shares of the arithmetic do not see that.
TEST(UnequalStages, AreBalancedByTheTimesOfEachSharding) {
  const auto time = [](const std::string& more) {
    const std::string text =
        R"({"workload": {"model": "llama3-8b", "dtype": "bf16"}, "platform": {"topology": "dgx_h100", "nodes": 1},
            "cost": {"model": "roofline"}, "strategy": {"pp": 2, "tp": 4, "stage_sequence_parallel": "true:false",
                                                        "global_batch": 16, "microbatch_size": 1)" +
        more + "}}";
    return run(load(parse_json(text, "llama.json"), "llama.json")).summary.iteration_time;
  };
  const Seconds balanced = time("");
  EXPECT_LT(balanced, 0.95 * time(R"(, "stage_partition": "uniform")"));
  for (const std::string shares : {"17:15", "18:14", "19:13"})
    EXPECT_LE(balanced, time(R"(, "stage_shares": ")" + shares + "\"")) << shares;
}

// Messages of 10 Gb/s are hidden by a schedule that sends early, and by weight gradients that wait.
TEST(UnequalStages, HideTheirResharding) {
  const auto time = [](const std::string& more) {
    return predicted(
               R"({"pp": 2, "stage_tp": "4:2", "global_batch": 32, "microbatches": 16, "tensor_plan": "megatron", )" +
               more + "}")
        .iteration_time;
  };
  const Seconds plain = time(R"("schedule": "1f1b")"), eager = time(R"("schedule": "eager_1f1b")");
  EXPECT_LT(eager, plain);
  EXPECT_LT(time(R"("schedule": "1f1b", "delay_weight_gradients": true)"), plain);
  EXPECT_LE(time(R"("schedule": "eager_1f1b", "delay_weight_gradients": true)"), eager);
  EXPECT_LT(plain, time(R"("schedule": "1f1b", "overlap_sends": false)"));
}

// By op name, how often the program runs each collective that gathers or scatters rows.
std::map<std::string, int64_t> exchanges_of_rows(const std::string& strategy) {
  std::map<std::string, int64_t> counts;
  for (const report::CollectiveSummary& collective : predicted(strategy).collectives) {
    if (collective.kind == "all_gather" || collective.kind == "reduce_scatter")
      counts[collective.name] += collective.count;
  }
  return counts;
}

TEST(UnequalStages, GatherRowsOnceForBothHalvesOfASplitBackward) {
  for (const std::string stages :
       {R"("stage_tp": "4:2", "sequence_parallel": true)", R"("tp": 4, "stage_sequence_parallel": "true:false")",
        R"("stage_tp": "2:4", "stage_cp": "2:1", "sequence_parallel": true)"}) {
    const std::string all =
        R"({"pp": 2, "global_batch": 8, "microbatches": 4, "tensor_plan": "megatron", )" + stages + R"(, "schedule": )";
    const auto joint = exchanges_of_rows(all + R"("1f1b"})");
    EXPECT_FALSE(joint.empty()) << stages;
    EXPECT_EQ(exchanges_of_rows(all + R"("zb_h1"})"), joint) << stages;
    EXPECT_EQ(exchanges_of_rows(all + R"("1f1b", "delay_weight_gradients": true})"), joint) << stages;
  }
}

// The signal of one byte is what no way to move the data is faster than.
TEST(UnequalStages, TakeTheTimeOfTheirResharding) {
  const auto time = [](std::string_view resharding) {
    return predicted(R"({"pp": 2, "stage_tp": "4:2", "global_batch": 16, "microbatches": 8, "schedule": "eager_1f1b",
                         "tensor_plan": "megatron", "resharding": ")" +
                     std::string(resharding) + "\"}")
        .iteration_time;
  };
  const Seconds signal = time("signal");
  for (const reshard::StrategyDef& strategy : reshard::strategies())
    EXPECT_GE(time(strategy.name), signal) << strategy.name;
  EXPECT_LE(time("broadcast"), time("send_recv"));
}

}  // namespace
}  // namespace foreflow::scenario::unequal_stages_test
