// Profiles of frameworks: keys of a scenario that a framework sets where the scenario says nothing.
#include "foreflow/scenario/framework.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "foreflow/base/text.h"
#include "foreflow/platform/load.h"
#include "foreflow/scenario/run.h"
#include "foreflow/scenario/strategy_key.h"
#include "foreflow/schedule/schedule.h"
#include "support/temporary.h"

namespace foreflow::scenario::framework_test {
namespace {

Json scenario_of(const std::string& framework, const std::string& strategy) {
  return parse_json(R"({"framework": ")" + framework + R"(", "workload": {"model": "llama", "layers": 4, "hidden": 64,
      "heads": 4, "sequence": 32, "vocabulary": 128, "dtype": "bf16"}, "platform": {"topology": "dgx_a100"},
      "engine": "analytic", "strategy": {)" +
                        strategy + "}}",
                    "framework.json");
}

Strategy strategy_of(const std::string& framework, const std::string& strategy) {
  return load(scenario_of(framework, strategy), "framework.json").strategy;
}

TEST(Frameworks, SetWhatTheScenarioLeavesOut) {
  const Strategy megatron = strategy_of("megatron-lm", R"("tp": 2, "pp": 2, "microbatches": 2, "global_batch": 2)");
  EXPECT_TRUE(megatron.vocabulary_parallel);
  EXPECT_FALSE(megatron.overlap_sends);
  const std::string interleaved = R"("tp": 2, "pp": 2, "schedule": "interleaved_1f1b", "virtual_stages": 2,
                                     "microbatches": 2, "global_batch": 2)";
  EXPECT_TRUE(strategy_of("megatron-lm", interleaved).overlap_sends);
  EXPECT_EQ(megatron.partition, transform::StagePartition::layers);
  EXPECT_EQ(megatron.tensor_plan.kind, transform::TensorPlan::Kind::megatron);
  const Strategy fsdp = strategy_of("fsdp", R"("dp": 4, "global_batch": 4)");
  EXPECT_EQ(fsdp.zero, 3);
  EXPECT_TRUE(fsdp.overlap_gradients);
}

// Megatron-LM waits for the messages of 1F1B. Zero-bubble schedules run in forks of their authors, which post theirs;
// with sends that wait they would lose what they gain. What the scenario says wins.
TEST(Frameworks, WaitForSendsOfTheSchedulesThatTheyHave) {
  const auto strategy = [](const std::string& schedule, const std::string& stages = "2") {
    return R"("microbatches": 16, "global_batch": 16, "pp": )" + stages + R"(, "schedule": ")" + schedule + "\"";
  };
  for (const schedule::ScheduleDef& row : schedule::schedules()) {
    if (!row.trains || row.mapping != schedule::StageMapping::looped) continue;
    const bool waits = row.name == "1f1b" || row.name == "gpipe";
    for (const char* framework : {"megatron-lm", "megatron-deepspeed"})
      EXPECT_EQ(strategy_of(framework, strategy(std::string(row.name))).overlap_sends, !waits) << row.name;
  }
  EXPECT_FALSE(strategy_of("megatron-lm", strategy("zb_h1") + R"(, "overlap_sends": false)").overlap_sends);
  EXPECT_TRUE(strategy_of("megatron-lm", strategy("1f1b") + R"(, "overlap_sends": true)").overlap_sends);
  const auto iteration = [&](const std::string& schedule) {
    const Json workload = parse_json(R"({"model": "gpt", "layers": 8, "hidden": 4096, "heads": 32, "sequence": 1024,
                                         "dtype": "bf16"})",
                                     "workload.json");
    const Json source   = scenario_of("megatron-lm", strategy(schedule, "4")).set("workload", workload);
    return run(load(source, "framework.json")).summary.iteration_time;
  };
  EXPECT_LT(iteration("zb_h1"), iteration("1f1b"));
}

// A bare llama has 32000 words and 32 layers.
TEST(Frameworks, SetTheSameForADefaultThatIsStated) {
  for (const char* sizes : {"", R"(, "vocabulary": 32000, "layers": 32)"}) {
    const std::string text = R"({"framework": "megatron-lm", "workload": {"model": "llama", "dtype": "bf16")" +
                             std::string(sizes) + R"(}, "platform": {"topology": "dgx_a100"}, "engine": "analytic",
                             "strategy": {"tp": 2, "pp": 2, "microbatches": 2, "global_batch": 2}})";
    const Strategy strategy = load(parse_json(text, "framework.json"), "framework.json").strategy;
    EXPECT_TRUE(strategy.vocabulary_parallel) << sizes;
    EXPECT_EQ(strategy.partition, transform::StagePartition::layers) << sizes;
  }
}

TEST(Frameworks, LetTheScenarioDecideWhatItSays) {
  EXPECT_EQ(strategy_of("fsdp", R"("dp": 4, "global_batch": 4, "zero": 1)").zero, 1);
  EXPECT_EQ(strategy_of("megatron-lm", R"("attention": "unfused")").attention, transform::Attention::unfused);
}

TEST(Frameworks, SetNothingWhereItsConditionDoesNotHold) {
  const Strategy alone = strategy_of("megatron-lm", "");
  EXPECT_FALSE(alone.vocabulary_parallel);
  EXPECT_EQ(strategy_of("fsdp", "").zero, 0);
  for (const FrameworkSetting& setting : with_framework(scenario_of("megatron-lm", ""), "framework.json").applied)
    EXPECT_TRUE(setting.when == "always" || setting.when.starts_with("training") || setting.when == "roofline" ||
                setting.when == "calibrated" || setting.when == "equal stages")
        << setting.key;
}

// Megatron-LM drops a tenth by default, in families that can; Llama's has no such size, and inference drops nothing.
TEST(Frameworks, DropWhatTheirDefaultsDrop) {
  const auto dropped = [](const std::string& framework, const std::string& workload) -> std::string {
    const Json scenario = parse_json(R"({"framework": ")" + framework + R"(", "workload": {)" + workload +
                                         R"(}, "platform": {"topology": "dgx_a100"}})",
                                     "framework.json");
    const Json full     = with_framework(scenario, "framework.json").json;
    const Json* ratio   = full.find("workload")->find("dropout");
    return ratio == nullptr ? "-" : ratio->dump_compact();
  };
  for (const char* family : {"gpt", "bert", "t5", "vit", "gpt3-175b"})
    EXPECT_EQ(dropped("megatron-lm", R"("model": ")" + std::string(family) + "\""), "0.1") << family;
  for (const char* family : {"llama3-8b", "mixtral-8x7b", "mlp"})
    EXPECT_EQ(dropped("megatron-lm", R"("model": ")" + std::string(family) + "\""), "-") << family;
  EXPECT_EQ(dropped("megatron-lm", R"("model": "gpt", "dropout": 0)"), "0");
  EXPECT_EQ(dropped("megatron-lm", R"("model": "gpt", "mode": "inference")"), "-");
  EXPECT_EQ(dropped("nemo@23.04", R"("model": "gpt3-175b")"), "0.1");
  EXPECT_EQ(dropped("megatron-bridge", R"("model": "gpt3-175b")"), "0");
  EXPECT_EQ(dropped("ddp", R"("model": "gpt")"), "-");
}

// A setting that another one's condition asks for stands before it.
TEST(Frameworks, SetNothingMoreWhereTheirSettingsAreStated) {
  for (const Framework& framework : frameworks()) {
    for (const char* model : {"gpt3-175b", "llama3-8b", "mixtral-8x7b", "mlp"}) {
      for (const char* strategy : {"{}", R"({"dp": 4, "pp": 4})", R"({"tp": 2, "cp": 2, "pp": 2})"}) {
        const Json scenario =
            parse_json(R"({"framework": ")" + framework.name + R"(", "workload": {"model": ")" + model +
                           R"("}, "platform": {"topology": "dgx_h100"}, "strategy": )" + strategy + "}",
                       "framework.json");
        const Json once = with_framework(scenario, "framework.json").json;
        const auto more = with_framework(once, "framework.json").applied;
        EXPECT_TRUE(more.empty()) << framework.name << " sets " << more[0].key << " of " << model << " " << strategy;
      }
    }
  }
}

// A job with a workload or a strategy of its own is what the scenario would be with it.
TEST(Frameworks, CompleteWhatEachJobSays) {
  const auto parsed              = [](const std::string& text) { return parse_json(text, "f.json"); };
  const Json around              = parsed(R"({"platform": {"topology": "dgx_h100"}, "workload": {"model": "gpt"},
                                              "strategy": {"dp": 2, "global_batch": 2}})");
  const std::vector<Json> others = {
      parsed("{}"),
      parsed(R"({"workload": {"model": "gpt"}})"),
      parsed(R"({"workload": {"model": "llama3-8b", "mode": "inference"}})"),
      parsed(R"({"strategy": {"tp": 2, "dp": 2, "global_batch": 4}})"),
      parsed(R"({"cost": {"model": "roofline"}, "placement": "spread"})"),
      parsed(R"({"workload": {"model": "t5"}, "strategy": {"pp": 2, "microbatches": 2, "global_batch": 2}})")};
  for (const Framework& framework : frameworks()) {
    for (const Json& job : others) {
      const Json named = Json(around).set("framework", framework.name);
      Json plain       = named;
      for (const auto& [part, value] : *job.if_object()) plain.set(part, value);
      const Scenario one = load(plain, "f.json");
      const Scenario all = load(Json(named).set("jobs", Json(Json::Array{Json::object(), job})), "f.json");
      for (const char* part : {"workload", "strategy", "cost", "host", "collective", "placement"}) {
        const Json* wanted = one.source.find(part);
        const Json* found  = all.source.find("jobs")->if_array()->at(1).find(part);
        EXPECT_EQ(found == nullptr ? "{}" : found->dump_compact(), wanted == nullptr ? "{}" : wanted->dump_compact())
            << framework.name << ", " << job.dump_compact() << ", " << part;
      }
    }
  }
}

TEST(Frameworks, TellOfSeveralSettingsOfOneKeyThatWhichIsInForce) {
  const auto scenario = scenario_of("megatron-lm", R"("dp": 2, "global_batch": 2)");
  std::vector<std::string> values;
  for (const FrameworkSetting& setting : with_framework(scenario, "framework.json").applied)
    if (setting.key == "cost.gradient_bytes") values.push_back(setting.value.dump_compact());
  EXPECT_EQ(values, std::vector<std::string>{"\"16B\""});
}

TEST(Frameworks, AreOfTheNewestVersionWhereNoneIsNamed) {
  const std::string strategy = R"("tp": 2, "global_batch": 2)";
  const auto applied         = [&](const std::string& framework) {
    std::string text;
    for (const FrameworkSetting& setting : with_framework(scenario_of(framework, strategy), "framework.json").applied)
      text += setting.key + " " + setting.why + "\n";
    return text;
  };
  EXPECT_EQ(applied("nemo"), applied("nemo@23.09"));
  EXPECT_NE(applied("nemo"), applied("nemo@23.04"));
}

TEST(Frameworks, CutBetweenLayersWhereStagesGetAsManyEach) {
  const auto partition = [](const std::string& strategy) {
    return strategy_of("megatron-lm", R"("microbatches": 8, "global_batch": 8, )" + strategy).partition;
  };
  using transform::StagePartition;
  EXPECT_EQ(partition(R"("pp": 2)"), StagePartition::layers);
  EXPECT_EQ(partition(R"("pp": 4)"), StagePartition::layers);
  EXPECT_EQ(partition(R"("pp": 3)"), StagePartition::uniform) << "4 layers";
  EXPECT_EQ(partition(R"("pp": 2, "schedule": "interleaved_1f1b", "virtual_stages": 2)"), StagePartition::layers);
  EXPECT_EQ(partition(R"("pp": 3, "count_as_layers": "both")"), StagePartition::layers) << "6 with its ends";
  const auto load_as = [](const std::string& model) {
    const std::string text = R"({"framework": "megatron-lm", "workload": {"model": ")" + model +
                             R"("}, "platform": {"topology": "dgx_a100"}, "strategy": {"pp": 2, "global_batch": 8}})";
    return load(parse_json(text, "model.json"), "model.json").strategy.partition;
  };
  EXPECT_EQ(load_as("gpt2-1.5b"), StagePartition::layers);
  EXPECT_EQ(load_as("t5-base"), StagePartition::uniform);
  EXPECT_EQ(load_as("resnet50"), StagePartition::uniform);
}

// Megatron-LM's groups: replicas are neighbours, stages lie farthest apart. Four servers of two stages and 16 replicas.
TEST(Frameworks, PutTheReplicasOfAStageSideBySide) {
  const auto places_of = [](const std::string& framework, const std::string& rest) {
    const std::string text = R"({)" + framework +
                             R"("workload": {"model": "llama", "layers": 4, "hidden": 64, "heads": 4,
      "feed_forward": 128, "vocabulary": 64, "sequence": 8}, "platform": {"topology": "dgx_h100", "nodes": 4}, )" +
                             rest + "}";
    const Scenario scenario = load(parse_json(text, "order.json"), "order.json");
    return places(scenario, platform::make(platform::topologies().get("dgx_h100", "test"), 4));
  };
  const std::string alike = R"("strategy": {"dp": 16, "pp": 2, "global_batch": 16})";
  for (const std::string placement : {"", R"(, "placement": "packed")", R"(, "placement": {"policy": "packed"})"}) {
    const auto plain = places_of("", alike + placement),
               own   = places_of(R"("framework": "megatron-lm", )", alike + placement);
    EXPECT_EQ(std::vector<int>(plain.begin(), plain.begin() + 4), (std::vector<int>{0, 1, 2, 3}));
    EXPECT_EQ(std::vector<int>(own.begin(), own.begin() + 4), (std::vector<int>{0, 16, 1, 17}));
  }
  const std::string listed = R"(, "placement": {"devices": ["0-31"]})",
                    stated = R"(, "placement": {"order": "tp-pp-dp"})";
  for (const std::string& placement : {listed, stated})
    EXPECT_EQ(places_of(R"("framework": "megatron-lm", )", alike + placement), places_of("", alike + placement));
  const std::string unlike = R"("strategy": {"dp": 4, "pp": 2, "stage_tp": "1:2", "global_batch": 16})";
  EXPECT_EQ(places_of(R"("framework": "megatron-lm", )", unlike), places_of("", unlike));
}

// Bytes for each element in 16 bits: what a kernel reads and writes, 2 for bf16 and 4 for fp32.
TEST(Frameworks, CountWhatChainsOfKernelsMoveWhereNothingFusesThem) {
  const auto cost_of = [](const std::string& framework, const std::string& strategy, const char* key) {
    const Json completed = with_framework(scenario_of(framework, strategy), "framework.json").json;
    const Json* cost     = completed.find("cost");
    const Json* value    = cost == nullptr ? nullptr : cost->find(key);
    return value == nullptr ? std::string("none") : *value->if_string();
  };
  const auto sum = [](const std::vector<int>& kernels) {
    int all = 0;
    for (const int bytes : kernels) all += bytes;
    return std::to_string(all) + "B";
  };
  const int cast = 2 + 4, narrow = 2 + 2, wide = 4 + 4, product = 4 + 4 + 4;
  // x.float(), pow, mean, x * r, to(bf16), scale * x
  const std::string norm = sum({cast, wide, 4, wide, cast, narrow});
  // dy * scale; dy * x and its sum; float(); dy * r; dy * x and its sum; mean's dy / n; x.pow(1), 2 * x, dy * 2x; the
  // sum of both gradients; to(bf16)
  const std::string gradient =
      sum({narrow, 2 + 2 + 2, 2, cast, wide, product, 4, 4, wide, wide, product, product, cast});
  // float(), product with a complex number, to(bf16)
  const std::string complex = sum({cast, wide, cast});
  // q * cos, -q2, cat, * sin, +; dy * cos, dy * sin, -, the gradients of two halves with zeros, two sums
  const int half = narrow / 2, forward = 3 * narrow + half + 2 + 2 + 2,
            backward         = 2 * narrow + half + 2 * (2 + half) + 2 * (2 + 2 + 2);
  const std::string turned   = sum({(forward + backward) / 2});
  const std::string op_by_op = R"("fusion": false)";
  const std::string both     = R"("fusion": [true, false])";
  for (const std::string framework : {"ddp", "fsdp", "torchtitan"}) {
    EXPECT_EQ(cost_of(framework, op_by_op, "norm_bytes"), norm) << framework;
    EXPECT_EQ(cost_of(framework, op_by_op, "norm_gradient_bytes"), gradient) << framework;
    EXPECT_EQ(cost_of(framework, op_by_op, "rotary_bytes"), framework == "torchtitan" ? complex : turned) << framework;
    for (const std::string& other : {std::string(R"("fusion": true)"), both})
      EXPECT_EQ(cost_of(framework, other, "norm_bytes"), "none") << framework << other;
  }
  EXPECT_EQ(cost_of("fsdp", "", "norm_bytes"), norm);
  for (const std::string compiled : {"torchtitan", "torch.compile", "megatron-lm"})
    EXPECT_EQ(cost_of(compiled, "", "norm_bytes"), "none") << compiled;
}

// A calibration file stands for its model, and states what it holds.
TEST(Frameworks, AskWhichModelACalibrationFileIsOf) {
  const test::TemporaryFolder folder;
  write_file(folder / "own.json", R"({"source": "s", "model": "calibrated", "families": [], "loss_bytes": "7B"})");
  write_file(folder / "peaks.json", R"({"model": "roofline", "memory_efficiency": 0.5})");
  const auto set = [&](const std::string& model) {
    const Json scenario = scenario_of("fsdp", R"("dp": 2, "global_batch": 2)");
    std::set<std::string> keys;
    for (const FrameworkSetting& setting :
         with_framework(Json(scenario).set("cost", Json::object().set("model", model)), folder / "s.json").applied)
      keys.insert(setting.key);
    return keys;
  };
  std::set<std::string> calibrated = set("calibrated");
  EXPECT_TRUE(calibrated.contains("cost.attention"));
  EXPECT_TRUE(calibrated.contains("collective.channels"));
  EXPECT_EQ(set(FOREFLOW_SOURCE_DIR "/calibration/devices/h100_sxm.json"), calibrated);
  EXPECT_EQ(set("peaks.json"), set("roofline"));
  EXPECT_EQ(calibrated.erase("cost.loss_bytes"), 1U);
  EXPECT_EQ(set("own.json"), calibrated);
  EXPECT_EQ(set("absent.json"), set("distir"));  // the reader of costs refuses it
}

TEST(Frameworks, LeaveNumbersThatNobodyMeansToTheReader) {
  for (const char* pp : {"2147483648", "4294967296", "9223372036854775807"}) {
    const std::string strategy = std::string(R"("pp": )") + pp;
    EXPECT_THROW(strategy_of("megatron-lm", strategy), Error) << pp;
  }
  EXPECT_THROW(
      strategy_of("megatron-lm", R"("pp": 1048576, "schedule": "interleaved_1f1b", "virtual_stages": 1048576)"), Error);
}

TEST(Frameworks, SetNothingOfTrainingForFilesThatInfer) {
  const auto zero_of = [](const std::string& mode) {
    const std::string text = R"({"framework": "fsdp", "workload": {"onnx": "model.onnx")" + mode +
                             R"(}, "platform": {"topology": "dgx_a100"}, "strategy": {"dp": 8}})";
    const Json completed = with_framework(parse_json(text, "file.json"), "file.json").json;
    return completed.find("strategy")->find("zero") != nullptr;
  };
  EXPECT_FALSE(zero_of(""));
  EXPECT_TRUE(zero_of(R"(, "mode": "training")"));
}

TEST(Frameworks, ChangeNothingWhereNoneIsNamed) {
  const Json plain = parse_json(R"({"workload": {"model": "gpt"}, "strategy": {"tp": 2}})", "plain");
  EXPECT_EQ(with_framework(plain, "plain").json, plain);
}

TEST(Frameworks, SetKeysThatAScenarioHas) {
  const std::vector<std::string> keys = strategy_keys().names();
  for (const Framework& framework : frameworks()) {
    EXPECT_FALSE(framework.missing.empty()) << framework.name;
    for (const FrameworkSetting& setting : framework.settings) {
      const auto words = split(setting.key, '.');
      if (words[0] != "strategy") continue;
      EXPECT_NE(std::find(keys.begin(), keys.end(), words[1]), keys.end()) << framework.name << ": " << setting.key;
    }
  }
}

// Every setting of the costs is one that the model of the scenario has.
TEST(Frameworks, SetCostsOfTheModelThatAScenarioTakes) {
  for (const Framework& framework : frameworks()) {
    for (const char* model : {"calibrated", "roofline", "distir"}) {
      const Json text =
          parse_json(std::string(R"({"workload": {"model": "gpt"}, "platform": {"topology": "dgx_a100"},
                                     "strategy": {"dp": 2, "tp": 2, "pp": 2, "microbatches": 2, "global_batch": 4}, )") +
                         R"("framework": ")" + framework.name + R"(", "cost": {"model": ")" + model + R"("}})",
                     "framework.json");
      try {
        load(text, "framework.json");
      } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()).find("unknown key"), std::string::npos)
            << framework.name << ": " << error.what();
      }
    }
  }
}

TEST(Frameworks, SayWhatIsNone) {
  try {
    load(scenario_of("megatron", ""), "framework.json");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(
        std::string(error.what()).find("framework.json: $.framework: \"megatron\" is no framework; use alpa, ddp"),
        std::string::npos)
        << error.what();
  }
}

// Every one of them with its recipe, which loads and stands in the README.
TEST(Frameworks, HaveARecipeEach) {
  std::set<std::string> met;
  const std::string readme = read_file(FOREFLOW_SOURCE_DIR "/scenarios/README.md");
  for (const auto& entry : std::filesystem::directory_iterator(FOREFLOW_SOURCE_DIR "/scenarios/frameworks")) {
    const Scenario scenario = load_file(entry.path().string());
    met.insert(*scenario.source.find("framework")->if_string());
    EXPECT_NE(readme.find(entry.path().filename().string()), std::string::npos) << entry.path();
    EXPECT_LE(static_cast<size_t>(scenario.strategy.devices()), load_platform(scenario.platform)->devices().size());
  }
  for (const Framework& framework : frameworks()) EXPECT_TRUE(met.contains(framework.name)) << framework.name;
}

}  // namespace
}  // namespace foreflow::scenario::framework_test
