// What a strategy says about ranks that share sequences and experts.
#include <gtest/gtest.h>

#include "foreflow/platform/load.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario::sharing_test {
namespace {

constexpr const char* kMoe =
    R"({"model": "moe", "layers": 2, "hidden": 16, "feed_forward": 8, "heads": 4, "kv_heads": 2, "sequence": 64,
                                 "vocabulary": 32, "experts": 4, "routing_groups": 4, "dtype": "f16"})";
constexpr const char* kGpt =
    R"({"model": "gpt", "layers": 2, "hidden": 16, "heads": 4, "sequence": 64, "vocabulary": 32})";

constexpr const char* kDecode =
    R"({"model": "gpt", "layers": 2, "hidden": 16, "heads": 4, "sequence": 64, "vocabulary": 32, "mode": "inference",
                                    "phase": "decode"})";

Scenario read(const std::string& workload, const std::string& strategy, const std::string& placement = "\"packed\"") {
  return load(
      parse_json(R"({"workload": )" + workload + R"(, "platform": {"topology": "dgx_a100", "nodes": 2}, "strategy": )" +
                     strategy + R"(, "placement": )" + placement + "}",
                 "s.json"),
      "s.json");
}

std::string refusal(const std::string& workload, const std::string& strategy) {
  try {
    read(workload, strategy);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::vector<int> ranks(const std::string& strategy, const std::string& placement) {
  const Scenario scenario = read(kMoe, strategy, placement);
  std::vector<int> all    = places(scenario, platform::make(platform::topologies().get("dgx_a100", "test"), 2));
  all.resize(static_cast<size_t>(scenario.strategy.devices()));
  return all;
}

struct Mistake {
  const char *name, *workload, *strategy, *message;
};

class SharingMistake : public testing::TestWithParam<Mistake> {};

TEST_P(SharingMistake, IsToldInOneSentence) {
  EXPECT_EQ(refusal(GetParam().workload, GetParam().strategy), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Strategy, SharingMistake,
    testing::Values(
        Mistake{"cp_of_the_sequence", kGpt, R"({"cp": 3, "global_batch": 4})",
                "s.json: $.strategy.cp: 3 does not divide the sequence length 64; use 1, 2, 4, 8, 16, 32 or 64"},
        Mistake{"cp_of_the_parts", kGpt, R"({"cp": 32, "tp": 4, "sequence_parallel": true, "global_batch": 4})",
                "s.json: $.strategy.cp: 32 times the 4 parts of sequence_parallel do not divide the sequence length "
                "64; pad it to a multiple of 128"},
        Mistake{"cp_of_decoding", kDecode, R"({"cp": 2, "global_batch": 4})",
                "s.json: $.strategy.cp: decoding has one new token of each sample, which ranks cannot share; use 1, "
                "and dp, tp or pp"},
        Mistake{"cp_of_the_groups", kMoe, R"({"cp": 8, "global_batch": 4})",
                "s.json: $.strategy.cp: 8 does not divide the 4 groups that a sample is routed in; set "
                "workload.routing_groups to a "
                "multiple of it"},
        Mistake{"cp_of_features", R"({"model": "mlp"})", R"({"dp": 4, "cp": 2, "global_batch": 8})",
                "s.json: $.strategy.cp: mlp has no sequence to share; use 1"},
        Mistake{"cp_of_channels", R"({"model": "resnet50"})", R"({"cp": 3, "global_batch": 4})",
                "s.json: $.strategy.cp: resnet has no sequence to share; use 1"},
        Mistake{"cp_of_colours", R"({"model": "vit"})", R"({"cp": 3, "global_batch": 4})",
                "s.json: $.strategy.cp: vit has no sequence to share; use 1"},
        Mistake{"stage_cp_of_features", R"({"model": "mlp"})",
                R"({"pp": 2, "stage_cp": "2:1", "microbatches": 2, "global_batch": 8})",
                "s.json: $.strategy.stage_cp: mlp has no sequence to share; leave it out"},
        Mistake{"ep_without_experts", kGpt, R"({"dp": 2, "ep": 2, "global_batch": 4})",
                "s.json: $.strategy.ep: there are no experts in gpt; use 1, or the model moe"},
        Mistake{"ep_of_the_experts", kMoe, R"({"dp": 3, "ep": 3, "global_batch": 6})",
                "s.json: $.strategy.ep: 3 does not divide the 4 experts; use 1, 2 or 4"},
        Mistake{"ep_of_the_ranks", kMoe, R"({"dp": 2, "ep": 4, "global_batch": 4})",
                "s.json: $.strategy.ep: 4 does not divide the dp x cp = 2 ranks; use 1 or 2"},
        Mistake{"tp_of_the_shared_heads", kMoe, R"({"tp": 4, "global_batch": 4})",
                "s.json: $.strategy.tp: 4 does not divide the 2 heads of keys and values; use 1 or 2"}),
    [](const auto& info) { return info.param.name; });

TEST(Sharing, OfNothingIsLegalForEveryModel) {
  EXPECT_EQ(refusal(R"({"model": "mlp"})", R"({"dp": 4, "cp": 1, "global_batch": 8})"), "");
}

// Programs number tensor, context, replicas that share experts, stages, other replicas; here 2 of each but stages.
TEST(Sharing, PlacesContextsNextToTensorsAndReplicasOutside) {
  const std::string strategy = R"({"tp": 2, "cp": 2, "dp": 2, "global_batch": 4})";
  EXPECT_EQ(ranks(strategy, "\"packed\""), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(ranks(strategy, R"({"order": "tp-pp-dp-cp"})"), (std::vector<int>{0, 1, 4, 5, 2, 3, 6, 7}));
}

// Two stages, four replicas in two groups of two that share experts: ranks 0 and 1 share them, then come those of the
// second stage. Replicas are the outer dimension, so the two of a group are two stages apart.
TEST(Sharing, PlacesReplicasThatShareExpertsAsReplicas) {
  const std::string strategy = R"({"pp": 2, "dp": 4, "ep": 2, "global_batch": 4})";
  EXPECT_EQ(ranks(strategy, "\"packed\""), (std::vector<int>{0, 2, 1, 3, 4, 6, 5, 7}));
  EXPECT_EQ(ranks(strategy, R"({"order": "tp-dp-pp"})"), (std::vector<int>{0, 1, 4, 5, 2, 3, 6, 7}));
}

}  // namespace
}  // namespace foreflow::scenario::sharing_test
