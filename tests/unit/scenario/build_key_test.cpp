// What a program depends on is part of its key, and nothing else is.
#include <gtest/gtest.h>

#include "foreflow/scenario/run.h"

namespace foreflow::scenario::build_key_test {
namespace {

std::string key_of(const std::string& strategy, const std::string& more = "") {
  const std::string text = R"({"workload": {"model": "gpt", "layers": 2}, "platform": {"topology": "dgx_a100"}, )" +
                           more + R"("strategy": )" + strategy + "}";
  return build_key(load(parse_json(text, "s.json"), "s.json"));
}

TEST(BuildKey, TellsWhetherAttentionIsCopied) {
  const std::string copied = key_of(R"({"global_batch": 4, "microbatches": 1, "sequence_first": true})");
  EXPECT_EQ(copied, key_of(R"({"global_batch": 4, "microbatches": 2, "sequence_first": true})"));
  EXPECT_NE(copied, key_of(R"({"global_batch": 4, "microbatches": 4, "sequence_first": true})"));
}

// All attention that ranks share is fused, or the strategy is refused.
TEST(BuildKey, TellsWhetherAttentionIsShared) {
  EXPECT_NE(key_of(R"({"global_batch": 4, "attention": "flash"})"),
            key_of(R"({"global_batch": 4, "attention": "flash", "cp": 2, "context_attention": "ring"})"));
}

TEST(BuildKey, TellsWhetherDeadCodeIsRemoved) {
  const std::string strategy = R"({"global_batch": 4})";
  EXPECT_EQ(key_of(strategy, R"("cost": {"model": "roofline"}, )"), key_of(strategy));
  EXPECT_NE(key_of(strategy, R"("cost": {"model": "distir"}, )"), key_of(strategy));
}

}  // namespace
}  // namespace foreflow::scenario::build_key_test
