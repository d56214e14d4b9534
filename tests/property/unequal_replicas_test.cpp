// Replicas that differ, because some have slow devices or a place of their own, each repeat their microbatches in their
// own time. Predictions from a few microbatches equal those of all.
#include <gtest/gtest.h>

#include <random>

#include "support/every_round.h"

namespace foreflow::scenario::unequal_replicas_test {
namespace {

constexpr int kDevices = 16;

class Drawer {
 public:
  explicit Drawer(int seed) : rng_(static_cast<uint64_t>(seed)) {}

  Json scenario() {
    Json json = parse_json(R"({"cost": {"model": "roofline"}, "placement": "packed"})", "drawn");
    experts_  = one_in(4);
    json.set("workload", parse_json(experts_ ? kMixture : kLlama, "workload"));
    json.set("engine", word({"simgrid", "simgrid", "simgrid", "analytic"}));
    json.set("platform", parse_json(word({R"({"topology": "dgx_a100", "nodes": 2})",
                                          R"({"topology": "dgx_h100", "nodes": 2, "fabric": "rail_optimized"})"}),
                                    "platform"));
    json.set("strategy", strategy());
    json.set("disturbances", Json::object().set("slowdowns", slowdowns()));
    if (one_in(4)) json.set("framework", word({"megatron-lm", "fsdp"}));
    return json;
  }

 private:
  bool one_in(int n) { return rng_() % static_cast<uint64_t>(n) == 0; }
  int number(std::initializer_list<int> numbers) { return *(numbers.begin() + rng_() % numbers.size()); }
  std::string word(std::initializer_list<const char*> words) { return *(words.begin() + rng_() % words.size()); }

  Json strategy() {
    const int pp = number({2, 4}), tp = number({1, 2}), dp = kDevices / pp / tp;
    const int microbatches = number({96, 128, 200});
    const std::string kind = word({"1f1b", "1f1b", "interleaved_1f1b", "zb_h1", "eager_1f1b"});
    Json json              = Json::object();
    json.set("dp", dp).set("tp", tp).set("pp", pp).set("microbatches", microbatches).set("schedule", kind);
    json.set("global_batch", dp * microbatches).set("zero", number({0, 1, 2, 3}));
    if (kind == "interleaved_1f1b") json.set("virtual_stages", 2);
    if (tp > 1) json.set("sequence_parallel", one_in(2));
    if (experts_ && dp > 1) json.set("ep", 2);
    if (!experts_ && dp > 1 && one_in(4))
      json.set("dp", dp / 2).set("cp", 2).set("global_batch", dp / 2 * microbatches);
    json.set("overlap_gradients", one_in(2)).set("recompute", word({"none", "full"}));
    return json;
  }

  Json slowdowns() {
    Json list       = Json::array();
    const int count = number({1, 2, 3});
    for (int i = 0; i < count; ++i) {
      const auto device = static_cast<int>(rng_() % kDevices);
      list.push(Json::object()
                    .set("device", "node" + std::to_string(device / 8) + "-gpu" + std::to_string(device % 8))
                    .set("factor", 1 + static_cast<double>(1 + rng_() % 40) / 64));
    }
    return list;
  }

  static constexpr const char* kLlama =
      R"({"model": "llama", "layers": 16, "hidden": 256, "heads": 8, "kv_heads": 4, "sequence": 64,
          "vocabulary": 1024, "dtype": "bf16", "mode": "training", "optimizer": "adam"})";
  static constexpr const char* kMixture =
      R"({"model": "moe", "layers": 8, "hidden": 256, "heads": 8, "feed_forward": 256, "experts": 4, "top_k": 2,
          "sequence": 64, "vocabulary": 1024, "dtype": "bf16", "mode": "training", "optimizer": "adam"})";

  std::mt19937_64 rng_;
  bool experts_ = false;
};

class UnequalReplicas : public testing::TestWithParam<int> {};

TEST_P(UnequalReplicas, AreWhatAllMicrobatchesGive) {
  const Json json = Drawer(GetParam()).scenario();
  SCOPED_TRACE(json.dump());
  const Scenario scenario = load(json, "drawn");
  test::expect_same_figures(run(scenario), test::with_every_round(scenario));
}

INSTANTIATE_TEST_SUITE_P(Seeds, UnequalReplicas, testing::Range(0, 96));

}  // namespace
}  // namespace foreflow::scenario::unequal_replicas_test
