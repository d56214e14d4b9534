// What a framework's profile says of contexts and types, and what ranks of contexts and experts have to do with it.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario::context_balance_test {
namespace {

Scenario loaded(const std::string& model, const std::string& strategy, const std::string& more = "") {
  const std::string text = R"({"workload": {"model": ")" + model + R"(", "layers": 2, "hidden": 256, "heads": 8,
      "kv_heads": 8, "feed_forward": 512, "sequence": 4096, "vocabulary": 512)" +
                           more + R"(}, "platform": {"topology": "dgx_h100"}, "engine": "analytic", )" + strategy + "}";
  return load(parse_json(text, "contexts.json"), "contexts.json");
}

TEST(ContextBalance, IsThatOfTheFramework) {
  using transform::ContextAttention;
  const std::string cp = R"("strategy": {"cp": 4, "global_batch": 1})", groups = R"(, "routing_groups": 4)";
  for (const std::string framework : {"megatron-lm", "torchtitan"}) {
    const std::string named = R"("framework": ")" + framework + "\", ";
    const Scenario scenario = loaded("llama", named + cp);
    EXPECT_EQ(scenario.strategy.context_attention, ContextAttention::striped_all_gather) << framework;
    EXPECT_EQ(scenario.workload.dtype, ir::DType::bf16) << framework;
    EXPECT_EQ(loaded("moe", named + cp, groups).strategy.context_attention, ContextAttention::all_gather) << framework;
    EXPECT_EQ(loaded("llama", named + cp, R"(, "dtype": "f32")").workload.dtype, ir::DType::f32) << framework;
  }
  EXPECT_EQ(loaded("llama", cp).strategy.context_attention, ContextAttention::all_gather);
}

// Arithmetic of the rank that has the most, over that of the one that has the least.
double imbalance(const std::string& attention) {
  const Outcome outcome =
      run(loaded("llama", R"("strategy": {"cp": 8, "global_batch": 1, "context_attention": ")" + attention + "\"}"));
  const auto& devices      = outcome.summary.devices;
  const auto [least, most] = std::minmax_element(devices.begin(), devices.end(),
                                                 [](const auto& a, const auto& b) { return a.compute < b.compute; });
  return most->compute / least->compute;
}

TEST(ContextBalance, IsEvenWherePositionsAreDealtOut) {
  EXPECT_GT(imbalance("all_gather"), 1.1);
  EXPECT_LT(imbalance("striped_all_gather"), 1.02);
}

// A training step of two layers of experts.
stream::Program mixture(const std::string& strategy) {
  return run(loaded("moe",
                    R"("strategy": {"tp": 4, "dp": 2, "ep": 2, "global_batch": 2, "tensor_plan": "megatron", )" +
                        strategy + "}",
                    R"(, "routing_groups": 4, "dtype": "bf16", "mode": "training")"))
      .program;
}

// The bytes of each exchange of tokens among the ranks that share experts, as a rank brings them.
std::set<double> exchanges(const std::string& strategy) {
  std::set<double> bytes;
  for (const stream::Communication& what : mixture(strategy).communications) {
    if (what.kind == collective::Kind::all_to_all) bytes.insert(what.bytes.value());
  }
  return bytes;
}

// 8 experts of which each token chooses 2, with a quarter more places: 2.5 tokens for each of 4096.
TEST(ExpertMessages, AreOfTheTokensOfARank) {
  constexpr double kTokens = 4096 * 2 * 1.25 * 256 * 2;
  EXPECT_EQ(exchanges(R"("sequence_parallel": true)"), (std::set<double>{kTokens / 4}));
  EXPECT_EQ(exchanges(R"("sequence_parallel": false)"), (std::set<double>{kTokens}));
}

// Tokens go to their experts and come back, and so do their gradients; the gradients of weights take the tokens that
// are there. No product copies an operand first.
TEST(ExpertMessages, AreFourInALayer) {
  for (const std::string strategy : {R"("sequence_parallel": true)", R"("sequence_parallel": false)"}) {
    const stream::Program program = mixture(strategy);
    const auto& items             = program.streams.front().items;
    EXPECT_EQ(std::count_if(items.begin(), items.end(),
                            [&](const stream::Item& item) {
                              return item.instance >= 0 &&
                                     nth(program.communications, item.event).kind == collective::Kind::all_to_all;
                            }),
              2 * 4)
        << strategy;
    for (const stream::Compute& compute : program.computes)
      EXPECT_FALSE(compute.name.starts_with("Transpose(bf16[4x")) << compute.name;
  }
}

}  // namespace
}  // namespace foreflow::scenario::context_balance_test
