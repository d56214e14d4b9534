// Keys that change nothing are named, and no others.
#include "foreflow/scenario/idle.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "foreflow/scenario/run.h"

namespace foreflow::scenario::idle_test {
namespace {

std::vector<std::string> idle(const std::string& strategy, const std::string& rest = "", const std::string& work = "",
                              const std::string& platform = "") {
  const std::string text = R"({"workload": {"model": "llama", "layers": 4, "hidden": 64, "heads": 4, "sequence": 32,
      "vocabulary": 128, "dtype": "bf16")" +
                           work + R"(}, "platform": {"topology": "dgx_a100")" + platform +
                           R"(}, "engine": "analytic", "strategy": {)" + strategy + "}" + rest + "}";
  const Scenario scenario = load(parse_json(text, "idle.json"), "idle.json");
  std::vector<std::string> said;
  for (const IdleKey& key : idle_keys(scenario, run(scenario).summary)) said.push_back(key.where + ": " + key.why);
  return said;
}

using Said = std::vector<std::string>;

TEST(IdleKeys, NameWhatOneDeviceCannotUse) {
  EXPECT_EQ(
      idle(R"("context_attention": "ring", "sequence_parallel": true, "vocabulary_parallel": true, "overlap_tensor": 2,
                    "stage_partition": "uniform", "overlap_sends": true, "zero": 1, "overlap_gradients": true,
                    "bucket_size": "25MB")"),
      (Said{"idle.json: $.strategy.context_attention: cp is 1", "idle.json: $.strategy.sequence_parallel: tp is 1",
            "idle.json: $.strategy.vocabulary_parallel: tp is 1", "idle.json: $.strategy.overlap_tensor: tp is 1",
            "idle.json: $.strategy.stage_partition: pp is 1", "idle.json: $.strategy.overlap_sends: pp is 1",
            "idle.json: $.strategy.zero: dp and cp are 1", "idle.json: $.strategy.overlap_gradients: dp and cp are 1",
            "idle.json: $.strategy.bucket_size: dp and cp are 1"}));
}

TEST(IdleKeys, AreNoneWhereAllAreAtWork) {
  EXPECT_EQ(idle(R"("dp": 2, "tp": 2, "pp": 2, "microbatches": 2, "global_batch": 4, "sequence_parallel": true,
                    "vocabulary_parallel": true, "overlap_tensor": 2, "stage_partition": "uniform", "overlap_sends": true,
                    "zero": 1, "overlap_gradients": true, "bucket_size": "25MB", "recompute": "full")",
                 R"(, "collective": {"all_reduce": "ring"})"),
            Said{});
  EXPECT_EQ(idle(R"("cp": 2, "context_attention": "ring")"), Said{});
}

TEST(IdleKeys, NameExchangesOfGradientsThatInferenceDoesNotHave) {
  EXPECT_EQ(idle(R"("dp": 2, "global_batch": 2, "overlap_gradients": true, "bucket_size": "25MB")", "",
                 R"(, "mode": "inference")"),
            (Said{"idle.json: $.strategy.overlap_gradients: inference has no gradients",
                  "idle.json: $.strategy.bucket_size: inference has no gradients"}));
}

TEST(IdleKeys, NameTheSequenceBesideTheContextOfADecodingStep) {
  const std::string decode = R"(, "mode": "inference", "phase": "decode")";
  EXPECT_EQ(idle("", "", decode + R"(, "context": 64)"),
            Said{"idle.json: $.workload.sequence: decode reads as many tokens of the cache as workload.context says"});
  EXPECT_EQ(idle("", "", decode), Said{}) << "it is the context";
}

TEST(IdleKeys, NameTheContextOfWhatHasNoCache) {
  const Said none{"idle.json: $.workload.context: only with phase decode is there a cache of earlier tokens"};
  EXPECT_EQ(idle("", "", R"(, "context": 64)"), none);
  EXPECT_EQ(idle("", "", R"(, "mode": "inference", "context": 64)"), none);
  EXPECT_EQ(idle("", "", R"(, "mode": "inference", "phase": "prefill", "context": 64)"), none);
}

Said idle_of(const std::string& workload) {
  const std::string text =
      R"({"workload": )" + workload + R"(, "platform": {"topology": "dgx_a100"}, "engine": "analytic"})";
  const Scenario scenario = load(parse_json(text, "idle.json"), "idle.json");
  Said said;
  for (const IdleKey& key : idle_keys(scenario, run(scenario).summary)) said.push_back(key.where + ": " + key.why);
  return said;
}

// The text that images are made from; there are no phases.
TEST(IdleKeys, DoNotNameTheContextOfAUNet) {
  EXPECT_EQ(idle_of(R"({"model": "unet", "blocks": 2, "width": 8, "image": 4, "heads": 2, "context": 3})"), Said{});
}

TEST(IdleKeys, NameSizesOfTrainingInInference) {
  const std::string moe = R"({"model": "moe", "layers": 1, "hidden": 16, "heads": 2, "sequence": 8, "vocabulary": 8,
      "balance_loss": 0.01, "mode": ")";
  EXPECT_EQ(idle_of(moe + R"(inference"})"), Said{"idle.json: $.workload.balance_loss: inference has no loss"});
  EXPECT_EQ(idle_of(moe + R"(training"})"), Said{});
  const std::string mlp = R"({"model": "mlp", "layers": 2, "hidden": 16, "keeps_products": false, "mode": ")";
  EXPECT_EQ(idle_of(mlp + R"(inference"})"),
            Said{"idle.json: $.workload.keeps_products: inference has no backward pass"});
  EXPECT_EQ(idle_of(mlp + R"(training"})"), Said{});
}

// Nobody chose it.
TEST(IdleKeys, DoNotNameTheSequenceOfAPreset) {
  const std::string text  = R"({"workload": {"model": "llama2-7b", "layers": 1, "dtype": "bf16", "mode": "inference",
      "phase": "decode", "context": 64}, "platform": {"topology": "dgx_a100"}, "engine": "analytic"})";
  const Scenario scenario = load(parse_json(text, "idle.json"), "idle.json");
  EXPECT_TRUE(idle_keys(scenario, run(scenario).summary).empty());
}

// The ranks of a context hold copies of weights.
TEST(IdleKeys, AreNoneWhereContextsShareTheUpdate) {
  EXPECT_EQ(idle(R"("cp": 2, "zero": 2, "overlap_gradients": true, "bucket_size": "25MB")"), Said{});
}

TEST(IdleKeys, NameTheSplitOfGradientsThatTwoPipesKeepWhole) {
  const auto with = [](const std::string& schedule, const std::string& zero) {
    return idle(R"("dp": 2, "pp": 2, "microbatches": 4, "global_batch": 8, "schedule": ")" + schedule +
                R"(", "zero": )" + zero);
  };
  for (const std::string schedule : {"dualpipe", "chimera"}) {
    EXPECT_EQ(with(schedule, "2"),
              Said{"idle.json: $.strategy.zero: the two pipes of " + schedule + " keep gradients whole, as with 1"});
    EXPECT_EQ(with(schedule, "1"), Said{});
    EXPECT_EQ(with(schedule, "3"), Said{});
  }
  EXPECT_EQ(with("1f1b", "2"), Said{});
}

TEST(IdleKeys, AreNoneWhereTheyAskForNothing) {
  EXPECT_EQ(idle(R"("context_attention": "all_gather", "sequence_parallel": false, "overlap_tensor": 1, "zero": 0,
                    "overlap_sends": false, "recompute": "none", "attention": "flash")"),
            Said{});
}

TEST(IdleKeys, NameRecomputationOfScoresThatNobodyKeeps) {
  EXPECT_EQ(idle(R"("recompute": "selective")"),
            Said{"idle.json: $.strategy.recompute: with attention flash no scores are kept"});
  EXPECT_EQ(idle(R"("recompute": "selective", "attention": "unfused")"), Said{});
}

// The graph of GPT-2 that PyTorch exports, for inference: its causal mask is a slice of a parameter.
TEST(IdleKeys, NameFlashAttentionWhereNoCoreBecomesOneOp) {
  const auto said = [](const std::string& model, const std::string& strategy) {
    const std::string text = R"({"workload": {"model": ")" + model + R"(", "layers": 2, "hidden": 64, "heads": 4,
        "sequence": 32, "vocabulary": 128, "dtype": "bf16", "mode": "inference"}, "engine": "analytic",
        "platform": {"topology": "dgx_a100"}, "strategy": {)" +
                             strategy + "}}";
    const Scenario scenario = load(parse_json(text, "idle.json"), "idle.json");
    std::vector<std::string> all;
    for (const IdleKey& key : idle_keys(scenario, run(scenario).summary)) all.push_back(key.where + ": " + key.why);
    return all;
  };
  const Said none{"idle.json: $.strategy.attention: the program has no attention that can become one op"};
  EXPECT_EQ(said("gpt", R"("attention": "flash")"), none);
  EXPECT_EQ(said("gpt", R"("attention": "unfused")"), Said{});
  EXPECT_EQ(said("gpt", ""), Said{}) << "nobody asked for it";
  EXPECT_EQ(said("llama", R"("attention": "flash")"), Said{});
}

TEST(IdleKeys, NameAnOrderOfActivationsThatChangesNothing) {
  EXPECT_EQ(idle(R"("sequence_first": true, "global_batch": 4)"), Said{});
  EXPECT_EQ(idle(R"("sequence_first": true, "global_batch": 4, "microbatch_size": 1)"),
            Said{"idle.json: $.strategy.sequence_first: a microbatch is one sample"});
  EXPECT_EQ(idle(R"("sequence_first": true, "global_batch": 4, "attention": "unfused")"),
            Said{"idle.json: $.strategy.sequence_first: attention is no flash attention"});
}

TEST(IdleKeys, NameTimesOfTheHostThatNothingTakes) {
  const std::string host = R"(, "host": {"kernel": "1us", "message": "1us", "collective": "1us", "step": "0s",
      "wait_for_messages": true, "wait_for_gradients": false})";
  EXPECT_EQ(idle("", host), (Said{"idle.json: $.host.collective: the program has no collectives",
                                  "idle.json: $.host.message: the program has no messages",
                                  "idle.json: $.host.wait_for_messages: the program has no messages"}));
  EXPECT_EQ(idle(R"("pp": 2, "tp": 2)", host), Said{});
  EXPECT_EQ(idle("", R"(, "host": {"step": "1ms", "wait_for_gradients": true})", R"(, "mode": "inference")"),
            (Said{"idle.json: $.host.step: inference updates no weights",
                  "idle.json: $.host.wait_for_gradients: inference updates no weights"}));
  EXPECT_EQ(idle("", R"(, "host": {"kernel": "1us", "call": "0s", "graphs": true})"),
            Said{"idle.json: $.host.kernel: host.graphs is true"});
}

TEST(IdleKeys, NameCpusThatNoTimeDependsOn) {
  const std::string grace = R"(, "cpu": "Grace")";
  EXPECT_EQ(idle("", R"(, "host": {"cpu": "Grace"})"), Said{"idle.json: $.host.cpu: the host takes no time"});
  EXPECT_EQ(idle("", R"(, "host": {"kernel": "1us"})", "", grace),
            Said{"idle.json: $.platform.cpu: no times of hosts say on which CPU (host.cpu) they were measured"});
  EXPECT_EQ(idle("", R"(, "host": {"kernel": "1us", "cpu": "EPYC-7742"})", "", grace), Said{});
}

// ddp sets host.collective; only what the user writes is told.
TEST(IdleKeys, AreNotThoseThatTheFrameworkSets) {
  const std::string framework = R"(, "framework": "ddp")";
  EXPECT_EQ(idle("", framework), Said{});
  EXPECT_EQ(idle("", framework + R"(, "host": {"collective": "7us"})"),
            Said{"idle.json: $.host.collective: the program has no collectives"});
}

TEST(IdleKeys, NameWhatInferenceHasNot) {
  EXPECT_EQ(idle("", "", R"(, "mode": "inference", "optimizer": "adam")"),
            Said{"idle.json: $.workload.optimizer: inference updates no weights"});
}

TEST(IdleKeys, NameAlgorithmsOfCommunicationsThatTheProgramHasNot) {
  EXPECT_EQ(
      idle(R"("dp": 2, "global_batch": 2)", R"(, "collective": {"all_reduce": "ring", "all_to_all": "pairwise"})"),
      Said{"idle.json: $.collective.all_to_all: the program has no such communication"});
}

}  // namespace
}  // namespace foreflow::scenario::idle_test
