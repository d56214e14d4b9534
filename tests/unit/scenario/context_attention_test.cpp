// What rings are worth: keys and values travel while attention is computed, and no rank holds those of all.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/scenario/run.h"

namespace foreflow::scenario::context_attention_test {
namespace {

std::string scenario_of(int cp, int64_t sequence, const std::string& attention, const std::string& more = "") {
  return R"({"workload": {"model": "llama", "layers": 2, "hidden": 2048, "feed_forward": 5632, "heads": 16, "kv_heads": 8,
                          "vocabulary": 2048, "dtype": "bf16", "sequence": )" +
         std::to_string(sequence) + R"(}, "platform": {"topology": "dgx_h100"}, "engine": "analytic",
             "strategy": {"global_batch": 1, "cp": )" +
         std::to_string(cp) + R"(, "context_attention": ")" + attention + "\"" + more + "}}";
}

Outcome simulated(const std::string& scenario) { return run(load(parse_json(scenario, "ring.json"), "ring.json")); }

// How much longer than the computing of its busiest device.
double exposed(const Outcome& outcome) {
  double compute = 0;
  for (const auto& device : outcome.summary.devices) compute = std::max(compute, device.compute.value());
  return outcome.timeline.makespan.value() / compute - 1;
}

double peak(const Outcome& outcome) {
  double bytes = 0;
  for (const auto& device : outcome.summary.devices) bytes = std::max(bytes, device.peak_memory.value());
  return bytes;
}

std::string refusal(const std::string& scenario) {
  try {
    simulated(scenario);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Of a prompt, since the sums of the weights' gradients are in the way of both when a model is trained.
TEST(ContextAttention, RingsHideTransfersThatHeadsWaitFor) {
  const auto of_prompt = [](const std::string& attention) {
    std::string text = scenario_of(8, 65536, attention);
    text.replace(text.find("\"layers\""), 0, R"("mode": "inference", "phase": "prefill", )");
    return exposed(simulated(text));
  };
  EXPECT_LT(of_prompt("striped_ring"), 0.1 * of_prompt("all_to_all"));
}

TEST(ContextAttention, StripesAreFasterThanContiguousBlocksWhereMasksAreCausal) {
  const auto time = [](const std::string& attention) {
    return simulated(scenario_of(8, 65536, attention)).timeline.makespan.value();
  };
  EXPECT_LT(time("striped_ring"), 0.8 * time("ring"));
}

// Twice the ranks for twice the sequence: what a rank keeps is the same, but for the blocks of others.
TEST(ContextAttention, RingsHoldAsMuchHoweverLongTheSequenceOfAllRanks) {
  const auto growth = [](const std::string& attention) {
    return peak(simulated(scenario_of(8, 32768, attention))) / peak(simulated(scenario_of(2, 8192, attention)));
  };
  EXPECT_NEAR(growth("ring"), 1, 0.02);
  // Keys and values of all, of one layer at a time; scores would grow with them, but flash attention keeps none.
  EXPECT_GT(growth("all_gather"), 1.02);
}

// The backward pass gathers keys and values again, so more layers keep no more of those of other ranks.
TEST(ContextAttention, GathersKeysAndValuesOfOneLayerAtATime) {
  const auto of_others = [](const std::string& layers) {
    const auto bytes = [&](const std::string& attention) {
      std::string text = scenario_of(8, 32768, attention);
      text.replace(text.find("\"layers\": 2"), 11, "\"layers\": " + layers);
      return peak(simulated(text));
    };
    return bytes("all_gather") - bytes("ring");
  };
  EXPECT_GT(of_others("2"), 0);
  EXPECT_LT(of_others("8"), 1.1 * of_others("2"));
}

TEST(ContextAttention, EnginesAgree) {
  const std::string text = scenario_of(4, 8192, "striped_ring");
  std::string shared     = text;
  shared.replace(shared.find("analytic"), 8, "simgrid");
  const double expected = simulated(text).timeline.makespan.value();
  EXPECT_NEAR(simulated(shared).timeline.makespan.value(), expected, 1e-6 * expected);
}

TEST(ContextAttention, SaysWhatItCannotDo) {
  EXPECT_EQ(refusal(scenario_of(2, 8192, "rings")),
            "ring.json: $.strategy.context_attention: \"rings\" is no way to share attention; use all_gather, "
            "striped_all_gather, ring, striped_ring or all_to_all");
  EXPECT_EQ(refusal(scenario_of(4, 8192, "all_to_all", R"(, "tp": 4)")),
            "ring.json: $.strategy.context_attention: cp = 4 does not divide the 2 heads of keys and values of a rank, "
            "which all_to_all "
            "shares; use ring, or a divisor of it");
  const auto experts = [](const std::string& strategy) {
    return R"({"workload": {"model": "moe", "experts": 8, "sequence": 1024, "routing_groups": 4},
               "platform": {"topology": "dgx_h100"}, "strategy": {"cp": 4, "dp": 2, "global_batch": 2, )" +
           strategy + "}}";
  };
  EXPECT_EQ(refusal(experts(R"("context_attention": "striped_ring")")),
            "ring.json: $.strategy.context_attention: striped_ring deals positions out one by one, and tokens are "
            "routed to experts in "
            "groups of neighbours; use ring");
  EXPECT_EQ(refusal(experts(R"("ep": 2, "context_attention": "ring")")),
            "ring.json: $.strategy.context_attention: a ring of cp = 4 cannot be cut into groups that share experts, "
            "which ep = 2 asks "
            "for; use all_gather, or a multiple of cp as ep");
}

}  // namespace
}  // namespace foreflow::scenario::context_attention_test
