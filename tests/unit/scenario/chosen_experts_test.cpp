// Decoding reads the weights of those experts that some token chooses: of E experts of which a token chooses k,
// E (1 - (1 - k/E)^tokens) on average.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

#include "foreflow/scenario/run.h"

namespace foreflow::scenario::chosen_experts_test {
namespace {

constexpr double kLayers = 8, kExperts = 8, kChosen = 2;

// Mixtral 8x7B with fewer layers.
Seconds iteration(int chosen, const std::string& dtype, const std::string& strategy, const std::string& cost) {
  const std::string text = fmt::format(
      R"({{"workload": {{"model": "mixtral-8x7b", "layers": {}, "top_k": {}, "dtype": "{}", "mode": "inference",
      "phase": "decode", "context": 127}}, "platform": {{"topology": "dgx_h100"}}, "cost": {}, "engine": "analytic",
      "strategy": {{{}}}}})",
      kLayers, chosen, dtype, cost, strategy);
  return run(load(parse_json(text, "decode.json"), "decode.json")).summary.iteration_time;
}

struct Case {
  std::string strategy;
  double tokens;    // that one product sees
  double products;  // how many times one after the other a device, or stage after stage, computes all of a layer
  double bytes = 2;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.strategy << ", " << one.bytes << " bytes"; }

class ChosenExperts : public testing::TestWithParam<Case> {};

// Beside a model whose tokens choose all experts.
TEST_P(ChosenExperts, AreTheOnlyOnesThatAreRead) {
  const Case& one         = GetParam();
  const std::string dtype = one.bytes == 1 ? "fp8" : "bf16";
  const std::string cost  = R"({"model": "roofline", "memory_efficiency": 1})";
  const Seconds all       = iteration(kExperts, dtype, one.strategy, cost);
  const Seconds some      = iteration(kChosen, dtype, one.strategy, cost);
  const double weights    = kLayers * kExperts * 3 * 4096 * 14336 * one.bytes;
  const double unread     = std::pow(1 - kChosen / kExperts, one.tokens) * weights * one.products;
  EXPECT_NEAR((all - some).value(), unread / 3.35e12, 1e-3 * unread / 3.35e12) << one.strategy;
}

INSTANTIATE_TEST_SUITE_P(OfEveryStrategy, ChosenExperts,
                         testing::Values(Case{R"("global_batch": 1)", 1, 1}, Case{R"("global_batch": 4)", 4, 1},
                                         Case{R"("global_batch": 4)", 4, 1, 1},
                                         Case{R"("dp": 8, "global_batch": 16)", 2, 1},
                                         Case{R"("dp": 8, "ep": 8, "global_batch": 8)", 8, 1.0 / 8},
                                         Case{R"("dp": 8, "ep": 4, "global_batch": 8)", 4, 1.0 / 4},
                                         Case{R"("tp": 4, "tensor_plan": "megatron", "global_batch": 2)", 2, 1.0 / 4},
                                         Case{R"("tp": 4, "global_batch": 2)", 2, 1.0 / 4},
                                         // Four microbatches pass the first stage, the last one three more.
                                         Case{R"("pp": 4, "microbatches": 4, "global_batch": 8)", 2, 7.0 / 4}));

TEST(ChosenExperts, AreTheOnlyOnesThatCalibratedKernelsRead) {
  const std::string cost = R"({"model": "calibrated"})";
  const auto seconds     = [&](int chosen, int batch) {
    return iteration(chosen, "bf16", fmt::format(R"("global_batch": {})", batch), cost).value();
  };
  EXPECT_LT(seconds(2, 1), 0.5 * seconds(8, 1));
  EXPECT_LT(seconds(2, 4), 0.9 * seconds(8, 4));
  EXPECT_NEAR(seconds(2, 64), seconds(8, 64), 1e-3 * seconds(8, 64)) << "all are chosen";
}

}  // namespace
}  // namespace foreflow::scenario::chosen_experts_test
