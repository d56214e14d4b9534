#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "foreflow/ir/fp8.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario::recompute_test {
namespace {

// 24 layers in 80 GB: the activations of 44 samples, their scores among them, do not fit, those that full recomputation
// keeps do.
Scenario scenario_with(const std::string& strategy, const std::string& mode = "training") {
  const std::string text = R"({"workload": {"model": "gpt", "layers": 24, "hidden": 2048, "heads": 16, "sequence": 1024,
      "vocabulary": 51200, "dropout": 0.1, "dtype": "f16", "mode": ")" +
                           mode + R"(", "optimizer": "adam"},
      "platform": {"topology": "dgx_a100", "nodes": 1}, "cost": {"model": "roofline"}, "engine": "analytic",
      "strategy": )" + strategy +
                           "}";
  return load(parse_json(text, "test"), "test");
}

report::Summary answer(const std::string& recompute, const std::string& rest) {
  return run(scenario_with(R"({"attention": "unfused", "recompute": ")" + recompute + "\", " + rest + "}")).summary;
}

void expect_error(const std::string& strategy, const std::string& mode, const std::string& message) {
  try {
    scenario_with(strategy, mode);
    FAIL() << "no error for " << strategy;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
  }
}

TEST(RecomputeStrategy, IsRefusedInOneSentenceAtItsKey) {
  expect_error(
      R"({"recompute": "some"})", "training",
      "test: $.strategy.recompute: \"some\" is no way to recompute; use none, activation, selective, op, full");
  expect_error(R"j({"recompute": "block(0)"})j", "training", "$.strategy.recompute");
  expect_error(R"({"recompute": "full"})", "inference", "test: $.strategy.recompute: full needs a backward pass");
}

TEST(RecomputeStrategy, OptimalRepeatsNothingWhereEverythingFits) {
  const report::Summary optimal = answer("optimal", R"("global_batch": 8)");
  EXPECT_TRUE(optimal.fits);
  EXPECT_EQ(optimal.job.hardware_flops, optimal.job.model_flops);
}

TEST(RecomputeStrategy, OptimalFitsWithLessWorkThanFull) {
  const std::string rest     = R"("global_batch": 44)";
  const report::Summary none = answer("none", rest), full = answer("full", rest), optimal = answer("optimal", rest);
  EXPECT_FALSE(none.fits);
  EXPECT_TRUE(full.fits);
  EXPECT_TRUE(optimal.fits);
  EXPECT_GT(optimal.job.hardware_flops, none.job.hardware_flops);
  EXPECT_LT(optimal.job.hardware_flops, 0.95 * full.job.hardware_flops);
  EXPECT_EQ(optimal.job.model_flops, none.job.model_flops);
}

TEST(RecomputeStrategy, OptimalFitsOnEveryStage) {
  const std::string rest     = R"("pp": 2, "microbatches": 4, "global_batch": 160)";
  const report::Summary none = answer("none", rest), optimal = answer("optimal", rest);
  EXPECT_FALSE(none.fits);
  EXPECT_TRUE(optimal.fits);
}

// The microbatches that a schedule holds count: gpipe all of them, interleaved_1f1b more than 1f1b.
TEST(RecomputeStrategy, OptimalFitsUnderEverySchedule) {
  for (const std::string schedule : {"gpipe", "1f1b", "interleaved_1f1b", "chimera", "zb_h1"}) {
    const std::string rest = R"("pp": 4, "microbatches": 8, "global_batch": 192, "schedule": ")" + schedule + "\"";
    const report::Summary optimal = answer("optimal", rest);
    EXPECT_TRUE(optimal.fits) << schedule;
    EXPECT_LT(optimal.job.hardware_flops, answer("full", rest).job.hardware_flops) << schedule;
  }
}

// With so large a vocabulary the last stage is worth several layers.
TEST(RecomputeStrategy, OptimalIsNoSlowerWithBalancedStagesThanWithUniformOnes) {
  const auto time = [](const std::string& partition, const std::string& more) {
    const Scenario scenario =
        load(parse_json(R"({"workload": {"model": "gpt", "layers": 11, "hidden": 1024, "heads": 16,
        "sequence": 1024, "vocabulary": 200000, "dropout": 0.1, "dtype": "f16", "optimizer": "adam"},
        "platform": {"topology": "dgx_a100", "nodes": 1}, "cost": {"model": "roofline"}, "engine": "analytic",
        "strategy": {"attention": "unfused", "recompute": "optimal", "microbatches": 8, "pp": 4, )" +
                            more + R"(, "stage_partition": ")" + partition + "\"}}",
                        "test"),
             "test");
    const report::Summary summary = run(scenario).summary;
    EXPECT_TRUE(summary.fits) << partition << more;
    EXPECT_GT(summary.job.hardware_flops, summary.job.model_flops) << partition << more;
    return summary.iteration_time.value();
  };
  for (const std::string more : {R"("global_batch": 448)", R"("global_batch": 512)",
                                 R"("global_batch": 1024, "tp": 2, "vocabulary_parallel": true)",
                                 R"("global_batch": 512, "stage_shares": "3:2:2:2")"})
    EXPECT_LE(time("balanced", more), 1.001 * time("uniform", more)) << more;
}

// Trials are of the program in which two shards represent all four.
TEST(RecomputeStrategy, OptimalCutsTwoShardsAsItCutsAll) {
  const Scenario asked    = load(parse_json(R"({"workload": {"model": "gpt", "layers": 16, "hidden": 1024, "heads": 16,
        "sequence": 1024, "vocabulary": 1024, "dtype": "f16"},
        "platform": {"topology": "dgx_a100", "nodes": 2}, "engine": "analytic",
        "strategy": {"attention": "unfused", "recompute": "optimal", "microbatches": 8, "pp": 4, "tp": 4,
                     "schedule": "1f1b", "global_batch": 2048}})",
                                            "test"),
                                 "test");
  const Sequential model  = build(asked);
  const auto platform     = load_platform(asked.platform);
  const Scenario resolved = resolve(asked, model, *platform).value();
  ASSERT_FALSE(resolved.strategy.stage_ends.empty());
  ASSERT_FALSE(resolved.strategy.written_stage_ends.empty());
  EXPECT_NE(resolved.strategy.written_stage_ends, resolved.strategy.stage_ends);
  Scenario all = resolved;
  all.strategy.written_stage_ends.clear();
  const auto summary_of = [&](const Scenario& scenario) {
    return predict(scenario, model, lower_scenario(scenario, model, *platform), *platform).summary;
  };
  const report::Summary two = summary_of(resolved), four = summary_of(all);
  EXPECT_NEAR(two.iteration_time.value(), four.iteration_time.value(), 1e-9 * four.iteration_time.value());
  EXPECT_EQ(two.device_count, four.device_count);
  const auto peaks_of = [](const report::Summary& summary) {
    std::map<int32_t, double> peaks;
    for (const report::DeviceSummary& device : summary.devices) {
      for (const stream::DeviceRange& range : device.members) {
        for (int32_t number = range.first; number <= range.last; number += range.step)
          peaks[number] = device.peak_memory.value();
      }
    }
    return peaks;
  };
  EXPECT_EQ(peaks_of(two), peaks_of(four));
}

// Stages of a fixed policy may end inside of layers, and where it needs less memory they are more even.
TEST(RecomputeStrategy, OptimalIsNoSlowerThanFixedPoliciesThatFit) {
  for (const std::string rest :
       {R"("pp": 2, "microbatches": 4, "global_batch": 120)", R"("pp": 4, "microbatches": 8, "global_batch": 160)",
        R"("pp": 4, "microbatches": 8, "global_batch": 160, "schedule": "interleaved_1f1b")"}) {
    const report::Summary optimal = answer("optimal", rest);
    EXPECT_TRUE(optimal.fits) << rest;
    for (const std::string policy : {"none", "activation", "selective", "op", "full"}) {
      const report::Summary fixed = answer(policy, rest);
      if (!fixed.fits) continue;
      EXPECT_LE(optimal.iteration_time.value(), fixed.iteration_time.value() * 1.0001) << policy << rest;
    }
  }
}

// A layer is repeated by the stage that did it, so another one has no use for its weights.
TEST(RecomputeStrategy, NoLayerLiesOnTwoStages) {
  for (int pp = 2; pp <= 8; ++pp) {
    for (const std::string how : {"full", "block(2)"}) {
      for (const std::string schedule : {"1f1b", "interleaved_1f1b", "zb_h1"}) {
        if (schedule == "interleaved_1f1b" && pp > 4) continue;  // more stages than block(2) leaves segments
        const std::string where = fmt::format("{} {} pp={}", how, schedule, pp);
        const std::string strategy =
            fmt::format(R"("global_batch": 24, "microbatches": 24, "recompute": "{}", "schedule": "{}", "pp": {})", how,
                        schedule, pp);
        const Scenario scenario    = load(parse_json(
                                              R"({"workload": {"model": "gpt", "layers": 17, "hidden": 256, "heads": 4,
            "sequence": 128, "vocabulary": 51200, "dtype": "f16", "optimizer": "adam"},
            "platform": {"topology": "dgx_a100", "nodes": 1}, "cost": {"model": "roofline"}, "engine": "analytic",
            "strategy": {)" + strategy + "}}",
                                              "test"),
                                          "test");
        const PlatformRef platform = load_platform(scenario.platform);
        const ir::Module module    = distribute(build(scenario), scenario, *platform);
        std::map<std::string, std::set<int>> devices;  // per layer
        const ir::Function& entry = module.entry();
        for (size_t i = 0; i < entry.parameters.size(); ++i) {
          const ir::Value& value = entry.values[i];
          if (entry.parameters[i] != ir::ParameterRole::weight || !value.name.starts_with("h.")) continue;
          devices[value.name.substr(0, value.name.find('.', 2))].insert(ir::device_of(*value.annotation).index);
        }
        EXPECT_EQ(devices.size(), 17U) << where;
        for (const auto& [layer, all] : devices) EXPECT_EQ(all.size(), 1U) << where << ": " << layer;
      }
    }
  }
}

// Gradients of weights that are computed later wait for the same values in any case. So a device holds at most what it
// holds without recomputation and, while it recomputes a layer, the values of that layer: of the activation function
// and the gate, whose results are parted over tp, or of all, of which 6 have all rows and are whole.
TEST(RecomputeStrategy, TakesAtMostALayerMoreWhereWeightGradientsAreDelayed) {
  constexpr double kRows = 2048, kHidden = 512, kInner = 1024, kTp = 4;
  constexpr double kGate  = 2 * kRows * 2 * kInner / kTp,
                   kLayer = 2 * kRows * (6 * kHidden + 4 * (kHidden + kInner) / kTp);
  const auto peak         = [](const std::string& recompute, const std::string& strategy) {
    const std::string text = R"({"workload": {"model": "llama", "layers": 16, "hidden": 512, "heads": 8,
        "feed_forward": 1024, "vocabulary": 512, "sequence": 2048, "dtype": "bf16", "mode": "training",
        "optimizer": "adam"}, "platform": {"topology": "dgx_h100", "nodes": 1}, "cost": {"model": "roofline"},
        "engine": "analytic", "strategy": {"tp": 4, "pp": 2, "microbatches": 6, "global_batch": 6, "recompute": ")" +
                             recompute + "\", " + strategy + "}}";
    Bytes most(0);
    for (const auto& device : run(load(parse_json(text, "test"), "test")).summary.devices)
      most = std::max(most, device.peak_memory);
    return most.value();
  };
  for (const std::string schedule :
       {R"("schedule": "zb_h1")", R"("schedule": "zb_h2")", R"("schedule": "1f1b", "delay_weight_gradients": true)"}) {
    for (const std::string parallel : {"true", "false"}) {
      const std::string strategy = schedule + R"(, "sequence_parallel": )" + parallel;
      const double none          = peak("none", strategy);
      EXPECT_LE(peak("activation", strategy), none + kGate) << strategy;
      EXPECT_LE(peak("full", strategy), none + kLayer) << strategy;
    }
  }
}

// A layer of Llama on one device, whose products keep their order: queries, keys, values, output, gate, up, down.
report::Summary of_llama(const std::string& recompute, const std::string& rest, const std::string& dtype = "bf16",
                         int layers = 8) {
  const std::string text = R"({"workload": {"model": "llama", "layers": )" + std::to_string(layers) +
                           R"(, "hidden": 1024, "heads": 8, "kv_heads": 2,
      "feed_forward": 4096, "vocabulary": 512, "sequence": 2048, "mode": "training", "optimizer": "adam", "dtype": ")" +
                           dtype + R"("}, "platform": {"topology": "dgx_h100", "nodes": 1},
      "cost": {"model": "roofline"}, "engine": "analytic", "strategy": {"recompute": ")" +
                           recompute + "\", " + rest + "}}";
  return run(load(parse_json(text, "test"), "test")).summary;
}

constexpr double kLlamaLayers = 8, kLlamaRows = 4 * 2048, kLlamaHidden = 1024, kLlamaKeys = 256, kLlamaInner = 4096;

TEST(RecomputeStrategy, OpRepeatsEverySecondProductOfALayerAndNoAttention) {
  constexpr double kProducts = 2 * kLlamaRows * kLlamaHidden * (kLlamaKeys + kLlamaHidden + kLlamaInner);
  const std::string rest     = R"("global_batch": 4)";
  const auto flops = [&](const std::string& recompute) { return of_llama(recompute, rest).job.hardware_flops.value(); };
  const double more = flops("op") - flops("none");
  EXPECT_GT(more, kLlamaLayers * kProducts);
  EXPECT_LT(more, 1.02 * kLlamaLayers * kProducts);  // norms, rotary embeddings and the activation function
}

// Of a layer stay its input, queries, values, what attention makes, with a sum of 4 bytes for each row and head, and
// the gate; besides its weights, with 14 bytes each. The most is there when the backward pass begins.
TEST(RecomputeStrategy, OpKeepsWhatTheListSays) {
  constexpr double kKept    = kLlamaRows * (2 * (3 * kLlamaHidden + kLlamaKeys + kLlamaInner) + 4 * 8);
  constexpr double kWeights = kLlamaHidden * (2 * kLlamaHidden + 2 * kLlamaKeys + 3 * kLlamaInner + 2);
  const auto peak           = [](const std::string& recompute, int layers = 8) {
    return of_llama(recompute, R"("global_batch": 4)", "bf16", layers).devices.front().peak_memory.value();
  };
  EXPECT_NEAR(peak("op", 12) - peak("op"), 4 * (kKept + 14 * kWeights), 1e-3 * kKept);
  EXPECT_LT(peak("op"), peak("activation"));
  EXPECT_GT(peak("op"), peak("full"));
}

// Of a layer go silu(gate) in 16 bits and its product with up, which the backward pass reads in 16 or in 8.
TEST(RecomputeStrategy, ActivationGivesUpTheResultsOfTheGateInFp8Too) {
  const auto of_layers = [](const std::string& recompute, const std::string& dtype) {
    const auto peak = [&](int layers) {
      return of_llama(recompute, R"("global_batch": 4)", dtype, layers).devices.front().peak_memory.value();
    };
    return peak(12) - peak(8);
  };
  constexpr double kNumbers = 4 * kLlamaRows * kLlamaInner;
  EXPECT_NEAR(of_layers("none", "bf16") - of_layers("activation", "bf16"), kNumbers * (2 + 2), 1e-3 * kNumbers);
  EXPECT_NEAR(of_layers("none", "fp8") - of_layers("activation", "fp8"), kNumbers * (2 + 1), 1e-3 * kNumbers);
}

TEST(RecomputeStrategy, OpTakesATimeBetweenThoseOfNoneAndFull) {
  for (const char* dtype : {"bf16", "fp8"}) {
    for (const std::string rest :
         {R"("global_batch": 4)", R"("global_batch": 8, "dp": 4, "zero": 3, "fusion": true)",
          R"("global_batch": 4, "tp": 2)", R"("global_batch": 4, "tp": 2, "sequence_parallel": true)",
          R"("global_batch": 4, "cp": 2)", R"("global_batch": 8, "pp": 4, "microbatches": 8)",
          R"("global_batch": 8, "pp": 4, "microbatches": 8, "schedule": "interleaved_1f1b", "virtual_stages": 2)",
          R"("global_batch": 8, "pp": 4, "microbatches": 8, "schedule": "zb_h1", "stage_partition": "layers")"}) {
      const auto time = [&](const std::string& recompute) {
        return of_llama(recompute, rest, dtype).iteration_time.value();
      };
      const double op = time("op");
      EXPECT_GT(op, time("none")) << dtype << rest;
      EXPECT_LT(op, time("full")) << dtype << rest;
    }
  }
}

TEST(RecomputeStrategy, OpIsRefusedWhereLayersMultiplyByNoMatrix) {
  const Scenario scenario = load(parse_json(R"({"platform": {"topology": "dgx_h100", "nodes": 1}, "engine": "analytic",
      "workload": {"model": "resnet", "depth": 50, "image": 64, "optimizer": "sgd"},
      "strategy": {"global_batch": 8, "recompute": "op"}})",
                                            "test"),
                                 "test");
  try {
    run(scenario);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "test: $.strategy.recompute: resnet: @resnet: has no product with a matrix of weights in its blocks "
              "whose result op would keep; use full or none");
  }
}

// Whatever the place of their product in the layer.
TEST(RecomputeStrategy, OpKeepsWhatIsReduceScattered) {
  const auto messages = [](const std::string& recompute) {
    const Scenario scenario = load(parse_json(
                                       R"({"workload": {"model": "llama", "layers": 4, "hidden": 64, "heads": 4,
        "feed_forward": 128, "vocabulary": 64, "sequence": 32, "dtype": "bf16", "mode": "training"},
        "platform": {"topology": "dgx_h100", "nodes": 1}, "engine": "analytic",
        "strategy": {"tp": 2, "global_batch": 2, "sequence_parallel": true, "recompute": ")" +
                                           recompute + "\"}}",
                                       "test"),
                                   "test");
    const ir::Module module = distribute(build(scenario), scenario, *load_platform(scenario.platform));
    int reduced             = 0;
    for (const ir::Function& function : module.functions) {
      for (const ir::Op& op : function.ops)
        reduced += !op.is_call() && op.def->communication == ir::Communication::reduce_scatter ? 1 : 0;
    }
    return reduced;
  };
  EXPECT_EQ(messages("op"), messages("none"));
  EXPECT_GT(messages("full"), messages("none"));
}

// Products in fp8 that read one activation convert it once. Without the one that did so in the forward pass the first
// that is repeated does, and where none is, the copy that gradients of weights read takes time of its own.
TEST(RecomputeStrategy, OpConvertsAgainWhatItRepeatsInFp8) {
  const Scenario scenario = load(parse_json(R"({"workload": {"model": "llama", "layers": 4, "hidden": 64, "heads": 4,
      "feed_forward": 128, "vocabulary": 32, "sequence": 32, "dtype": "fp8", "mode": "training"},
      "platform": {"topology": "dgx_h100", "nodes": 1}, "engine": "analytic",
      "strategy": {"global_batch": 2, "recompute": "op"}})",
                                            "test"),
                                 "test");
  const ir::Module module = distribute(build(scenario), scenario, *load_platform(scenario.platform));
  int products = 0, converting = 0, copies = 0, timed = 0;
  for (const ir::Op& op : module.entry().ops) {
    if (op.is_call() || op.attributes->find("recompute") == nullptr) continue;
    const int64_t operand = op.attributes->int_or(ir::kFp8, -2);
    products += op.def->product != ir::Product::none ? 1 : 0;
    converting += op.def->product != ir::Product::none && operand == 0 ? 1 : 0;
    copies += op.def->name == "Cast" ? 1 : 0;
    timed += op.def->name == "Cast" && operand == -2 ? 1 : 0;
  }
  EXPECT_EQ(products, 4 * 3);
  EXPECT_EQ(converting, 4 * 3);
  EXPECT_EQ(copies, 4 * 4);
  EXPECT_EQ(timed, 4 * 1);  // of what the last product of a layer reads, which is kept itself
}

TEST(RecomputeStrategy, OptimalSaysWhereNothingFits) {
  try {
    answer("optimal", R"("global_batch": 4096)");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("test: $.strategy.recompute: optimal finds no room"), std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("D1 still needs"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace foreflow::scenario::recompute_test
