// What holds for every key of a strategy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "foreflow/scenario/strategy_key.h"

namespace foreflow::scenario::strategy_keys_test {
namespace {

Strategy read(const std::string& strategy,
              const std::string& model = R"({"model": "gpt", "layers": 8, "vocabulary": 51200})") {
  const std::string text =
      R"({"workload": )" + model + R"(, "platform": {"topology": "dgx2"}, "strategy": )" + strategy + "}";
  return load(parse_json(text, "s.json"), "s.json").strategy;
}

TEST(StrategyKeys, ThatAreLeftOutAreTheirFallbacks) {
  const Json written = to_json(read("{}"));
  for (const StrategyKeyDef& key : strategy_keys()) {
    if (key.fallback.is_null()) continue;
    const Json* value = written.find(key.name);
    ASSERT_NE(value, nullptr) << key.name;
    EXPECT_EQ(value->dump_compact(), key.fallback.dump_compact()) << key.name;
  }
}

TEST(StrategyKeys, AreReadAsTheyAreWritten) {
  for (const char* text :
       {"{}", R"({"dp": 2, "tp": 2, "pp": 2, "global_batch": 16, "microbatches": 4})",
        R"({"dp": 2, "global_batch": 16, "microbatch_size": 2, "zero": 2, "bucket_size": "1.5MB"})",
        R"({"pp": 2, "schedule": "interleaved_1f1b", "virtual_stages": 2, "microbatches": 2, "global_batch": 4})",
        R"({"pp": 2, "stage_shares": "3:1.5", "delay_weight_gradients": true})",
        R"({"pp": 2, "stage_shares": "3:1", "stage_partition": "balanced", "overlap_sends": false})",
        R"({"pp": 2, "stage_partition": "layers", "count_as_layers": "none"})",
        R"({"pp": 5, "stage_partition": "layers", "count_as_layers": "both"})",
        R"({"pp": 4, "stage_partition": "layers", "first_stage_layers": 1, "last_stage_layers": 3})",
        R"json({"cp": 2, "context_attention": "ring", "gather_results": false, "recompute": "block(2)"})json",
        R"({"tp": 2, "sequence_parallel": true, "vocabulary_parallel": true, "overlap_tensor": 4})",
        R"({"tp": 2, "tensor_plan": {"*.weight": 1, "b": 0}, "overlap_gradients": true, "offload": true})",
        R"({"pp": 2, "stage_tp": "4:2", "tp": 4, "resharding": "send_recv"})",
        R"({"pp": 2, "tp": 2, "stage_sequence_parallel": "true:false", "sequence_parallel": true})",
        R"({"tp": 2, "tensor_plan": "megatron", "recompute": "optimal"})"}) {
    const Json once = to_json(read(text));
    EXPECT_EQ(to_json(read(once.dump_compact())).dump_compact(), once.dump_compact()) << text;
    const Json given = parse_json(text, "given");
    for (const auto& [key, value] : *given.if_object()) {
      if (key == "microbatch_size" || key == "bucket_size") continue;  // written in another unit
      ASSERT_NE(once.find(key), nullptr) << key;
      EXPECT_EQ(once.find(key)->dump_compact(), value.dump_compact()) << key;
    }
  }
}

TEST(StrategyKeys, AreSearchedInAnOrderOfTheirOwn) {
  std::set<int> turns;
  for (const StrategyKeyDef& key : strategy_keys()) {
    if (key.search.searched == Searched::never) continue;
    EXPECT_TRUE(turns.insert(key.search.turn).second) << key.name;
    EXPECT_TRUE(key.search.legal != nullptr || key.search.is_degree) << key.name;
  }
}

// Bounds build the strategy of one replica from these.
TEST(StrategyKeys, OfOneReplicaAreWritten) {
  for (const StrategyKeyDef& key : strategy_keys()) {
    if (!key.of_one_replica) continue;
    ASSERT_NE(key.write, nullptr) << key.name;
    EXPECT_FALSE(key.write(read("{}")).is_null()) << key.name;
  }
}

TEST(StrategyKeys, CanBeReadOrSettled) {
  for (const StrategyKeyDef& key : strategy_keys())
    EXPECT_TRUE(key.read != nullptr || key.settle != nullptr) << key.name;
}

}  // namespace
}  // namespace foreflow::scenario::strategy_keys_test
