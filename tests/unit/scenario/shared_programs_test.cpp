// Programs that scenarios have in common are made once, and change no prediction.
#include "foreflow/scenario/shared_programs.h"

#include <gtest/gtest.h>

#include "foreflow/report/memory.h"
#include "foreflow/scenario/run.h"
#include "foreflow/scenario/strategy_key.h"
#include "scenario/distribution/stages.h"

namespace foreflow::scenario::shared_programs_test {
namespace {

ReplicaProgramRef program_of(size_t ops) {
  ir::Module module;
  module.functions.emplace_back();
  module.functions.back().ops.resize(ops);
  return std::make_shared<const ReplicaProgram>(ReplicaProgram{std::move(module), 0});
}

TEST(SharedPrograms, ForgetsWhatWasNotUsedForLongest) {
  SharedPrograms shared(10);
  const auto a = program_of(4), b = program_of(4), c = program_of(4);
  shared.keep("a", a);
  shared.keep("b", b);
  EXPECT_EQ(shared.find("a"), a);
  shared.keep("c", c);
  EXPECT_EQ(shared.ops(), 8U);
  EXPECT_EQ(shared.find("a"), a);
  EXPECT_EQ(shared.find("b"), nullptr);
  EXPECT_EQ(shared.find("c"), c);
}

TEST(SharedPrograms, KeepsNoneThatIsTooLarge) {
  SharedPrograms shared(10);
  shared.keep("small", program_of(10));
  shared.keep("large", program_of(11));
  EXPECT_EQ(shared.find("large"), nullptr);
  EXPECT_NE(shared.find("small"), nullptr);
}

Scenario scenario_with(const std::string& strategy) {
  const std::string text = R"({"workload": {"model": "gpt", "layers": 4, "hidden": 64, "heads": 4, "sequence": 16,
                                            "vocabulary": 128, "mode": "training", "optimizer": "adam"},
                              "platform": {"topology": "dgx_a100", "nodes": 2}, "engine": "analytic", "strategy": )" +
                           strategy + "}";
  return load(parse_json(text, "s.json"), "s.json");
}

// Each differs from others in keys that change the program of a replica, in keys that do not, or in the placement.
std::vector<Scenario> alike_in_part() {
  std::vector<Scenario> all;
  for (const char* degrees : {R"("dp": 2, "tp": 2, "pp": 2)", R"("dp": 4, "tp": 2, "pp": 1)", R"("dp": 2, "tp": 4)"}) {
    for (const char* rest :
         {R"("zero": 0)", R"("zero": 1, "overlap_gradients": true)", R"("zero": 3, "bucket_size": "1KiB")",
          R"("recompute": "full")", R"x("recompute": "block(2)")x", R"("schedule": "gpipe")", R"("microbatches": 2)",
          R"("sequence_parallel": true)", R"("global_batch": 16)", R"("stage_partition": "uniform")",
          R"("offload": true)", R"("overlap_sends": false)", R"("overlap_tensor": 2)"}) {
      Json strategy = parse_json("{" + std::string(degrees) + ", " + rest + "}", "strategy");
      if (strategy.find("microbatches") == nullptr) strategy.set("microbatches", 4);
      if (strategy.find("global_batch") == nullptr) strategy.set("global_batch", 32);
      if (strategy.find("schedule") == nullptr) strategy.set("schedule", "1f1b");
      all.push_back(scenario_with(strategy.dump_compact()));
    }
    all.push_back(all[all.size() - 13]);
    all.back().placement.order = {Dimension::dp, Dimension::cp, Dimension::tp, Dimension::pp};
  }
  return all;
}

std::string answer(const Scenario& scenario, const platform::Platform& platform, SharedPrograms* shared) {
  const auto program = try_build(scenario);
  if (!program) return program.refusal().why;
  const auto resolved = resolve(scenario, *program, platform);
  if (!resolved) return resolved.refusal().why;
  const auto predicted = try_predict(*resolved, *program, platform, {}, shared);
  return predicted ? report::to_json(predicted->summary, predicted->program, platform).dump() : predicted.refusal().why;
}

TEST(SharedPrograms, ChangeNoPrediction) {
  const std::vector<Scenario> all = alike_in_part();
  const PlatformRef platform      = load_platform(all.front().platform);
  SharedPrograms shared;
  size_t predicted = 0;
  for (const int round : {1, 2}) {
    for (const Scenario& scenario : all) {
      const std::string alone = answer(scenario, *platform, nullptr);
      EXPECT_EQ(answer(scenario, *platform, &shared), alone) << round << to_json(scenario.strategy).dump_compact();
      predicted += alone.front() == '{' ? 1U : 0U;
    }
  }
  EXPECT_GT(predicted, all.size());
  EXPECT_GT(shared.ops(), 0U);
}

// The numbers that a search compares. Names are those of the first of the equal stages, which call one function.
std::string numbers(const Scenario& scenario, const platform::Platform& platform, SharedPrograms* shared) {
  const auto predicted = try_predict(scenario, build(scenario), platform, {}, shared);
  if (!predicted) return predicted.refusal().why;
  Json memory = Json::array();
  for (const report::DeviceSummary& device : predicted->summary.devices) memory.push(device.peak_memory.value());
  return Json::object().set("time", predicted->summary.iteration_time.value()).set("memory", memory).dump_compact();
}

TEST(SharedPrograms, ChangeNoNumberOfEqualStages) {
  const std::string text = R"({"workload": {"model": "mlp", "layers": 8, "mode": "training"}, "engine": "analytic",
                              "platform": {"topology": "dgx_a100"}, "strategy": {}})";
  SharedPrograms shared;
  for (const char* schedule : {"gpipe", "1f1b", "interleaved_1f1b", "zb_h1"}) {
    for (const char* rest : {R"("offload": true)", R"("offload": true, "overlap_sends": false)",
                             R"("offload": true, "dp": 2, "zero": 3, "overlap_gradients": true)",
                             R"("dp": 2, "zero": 3, "overlap_gradients": true)", R"("dp": 2, "zero": 1)"}) {
      const std::string strategy = std::string(R"({"pp": 4, "microbatches": 4, "global_batch": 32, "schedule": ")") +
                                   schedule + "\", " + rest + "}";
      const Scenario scenario =
          load(parse_json(text, "s.json").set("strategy", parse_json(strategy, "strategy")), "s.json");
      const PlatformRef platform = load_platform(scenario.platform);
      const std::string alone    = numbers(scenario, *platform, nullptr);
      EXPECT_EQ(alone.front(), '{') << alone;
      EXPECT_EQ(numbers(scenario, *platform, &shared), alone) << strategy;
    }
  }
}

// On a slow network stages are cut elsewhere if they wait for what they send.
TEST(SharedPrograms, KnowWhetherStagesWaitForMessages) {
  const std::string text = R"({"workload": {"model": "gpt", "layers": 4, "hidden": 256, "heads": 4, "sequence": 128,
                                            "vocabulary": 8192, "mode": "training", "optimizer": "adam"},
                              "platform": {"topology": "dgx_a100", "links": {"nvlink": {"bandwidth": "10GBps"}}},
                              "engine": "analytic", "cost": {"model": "roofline"},
                              "strategy": {"pp": 4, "microbatches": 4, "global_batch": 16, "schedule": "1f1b"}})";
  SharedPrograms shared;
  std::vector<std::vector<int32_t>> ends;
  for (const bool overlaps : {false, true, false}) {
    Json source = parse_json(text, "slow.json");
    source.member("strategy").set("overlap_sends", overlaps);
    const Scenario scenario    = load(source, "slow.json");
    const PlatformRef platform = load_platform(scenario.platform);
    const Sequential program   = build(scenario);
    const auto time            = [&](SharedPrograms* known) {
      return try_predict(scenario, program, *platform, {}, known).value().summary.iteration_time;
    };
    EXPECT_EQ(time(&shared), time(nullptr)) << overlaps;
    ends.push_back(try_cut(program, scenario, *platform, 1).value().stage_ends);
  }
  EXPECT_NE(ends[0], ends[1]) << "this network is too fast to tell";
}

}  // namespace
}  // namespace foreflow::scenario::shared_programs_test
