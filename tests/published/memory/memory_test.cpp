// Memory of published configurations against published formulas; README.md lists both.
#include "foreflow/report/memory.h"

#include <gtest/gtest.h>

#include "foreflow/base/nth.h"
#include "foreflow/scenario/run.h"

namespace foreflow::published::memory_test {
namespace {

constexpr double kTolerance = 0.05;

struct Configuration {
  std::string name, workload, strategy;
  int nodes;
  double parameters;   // of the first device
  double of_each;      // bytes of weight, gradient and optimizer state of a parameter
  double activations;  // of all microbatches in flight; 0: not compared
  double terms = 0;    // bytes of others: of gradients of a microbatch beside their sums, of experts
};

// Parameters of the layers and the embedding of the first stage, before they are split among shards.
double llama(double h, double k, double f, double layers) {
  return layers * (2 * h * h + 2 * h * k + 3 * h * f + 2 * h) + 128256 * h;
}
// With `made_again`, the product of gates is none of it.
double kept(double h, double k, double f, bool made_again = false) {
  return 8192 * h * (12 + 4 * k / h + (made_again ? 4 : 6) * f / h);
}

std::vector<Configuration> configurations() {
  const double gpt = 12288, mixtral = 4096, f = 14336;
  const std::string llama3 = R"(", "sequence": 8192, "dtype": "bf16", "optimizer": "adam"})";
  const std::string usual =
      R"("microbatch_size": 1, "zero": 1, "overlap_gradients": true, "sequence_parallel": true, )";
  return {
      {"gpt3_175b",
       R"({"model": "gpt3-175b", "vocabulary": 51200, "sequence": 2048, "dropout": 0.1, "dtype": "bf16",
           "optimizer": "adam"})",
       usual + R"("dp": 2, "tp": 8, "pp": 8, "global_batch": 64, "recompute": "selective", "attention": "unfused")", 16,
       (12 * (12 * gpt * gpt + 13 * gpt) + 51200 * gpt) / 8 + 2048 * gpt, 6 + 12.0 / 2, 34 * 2048 * gpt / 8 * 12 * 8},
      {"llama3_8b", R"({"model": "llama3-8b)" + llama3, usual + R"("dp": 2, "tp": 2, "pp": 2, "global_batch": 16)", 1,
       llama(4096, 1024, f, 16) / 2, 6 + 12.0 / 2, kept(4096, 1024, f) / 2 * 16 * 2},
      {"llama3_70b", R"({"model": "llama3-70b)" + llama3, usual + R"("dp": 4, "tp": 8, "pp": 4, "global_batch": 64)",
       16, llama(8192, 1024, 28672, 20) / 8, 6 + 12.0 / 4, kept(8192, 1024, 28672) / 8 * 20 * 4},
      {"llama3_405b", R"({"model": "llama3-405b)" + llama3,
       usual + R"("dp": 8, "tp": 8, "pp": 16, "global_batch": 256, "count_as_layers": "both")", 128,
       llama(16384, 1024, 53248, 7) / 8, 6 + 12.0 / 8, kept(16384, 1024, 53248) / 8 * 7 * 16},
      // A layer is a chunk. The first device has begun 142 passes before its first backward pass, and one more: of
      // groups of 16, chunks 2 to 8 once; the rest are embeddings. The backward pass of an embedding frees nothing, so
      // its gradient is beside its sum at the peak, in bf16 and Float32.
      {"llama3_405b_interleaved", R"({"model": "llama3-405b)" + llama3,
       usual + R"("dp": 8, "tp": 8, "pp": 16, "global_batch": 256, "count_as_layers": "both",
                  "schedule": "interleaved_1f1b", "virtual_stages": 8, "recompute": "activation")",
       128, llama(16384, 1024, 53248, 7) / 8, 6 + 12.0 / 8, kept(16384, 1024, 53248, true) / 8 * 7 * 16,
       (2 + 4) * 128256 * 16384.0 / 8},
      // Experts are on one rank each; all else is on eight, which share its states.
      {"mixtral_8x7b_zero", R"({"model": "mixtral-8x7b", "sequence": 4096, "dtype": "bf16", "optimizer": "adam"})",
       R"("dp": 8, "ep": 8, "pp": 4, "microbatch_size": 1, "global_batch": 128, "zero": 1)", 4,
       8 * (2 * mixtral * mixtral + 2 * mixtral * 1024 + 2 * mixtral + 8 * mixtral) + 32000 * mixtral, 6 + 12.0 / 8, 0,
       18 * 8 * 3 * mixtral * f},
      {"mixtral_8x7b", R"({"model": "mixtral-8x7b", "sequence": 4096, "dtype": "bf16", "optimizer": "adam"})",
       R"("dp": 8, "ep": 8, "pp": 4, "microbatch_size": 1, "global_batch": 128)", 4,
       8 * (2 * mixtral * mixtral + 2 * mixtral * 1024 + 2 * mixtral + 8 * mixtral + 3 * mixtral * f) + 32000 * mixtral,
       18, 0},
  };
}

class Memory : public testing::TestWithParam<Configuration> {};

TEST_P(Memory, IsAsItsFormulasSay) {
  const Configuration& of = GetParam();
  const std::string text  = R"({"framework": "megatron-lm", "workload": )" + of.workload +
                           R"(, "platform": {"topology": "dgx_h100", "nodes": )" + std::to_string(of.nodes) +
                           R"(}, "engine": "analytic", "cost": {"model": "roofline"}, "strategy": {)" + of.strategy +
                           "}}";
  const scenario::Outcome outcome = scenario::run(scenario::load(parse_json(text, of.name), of.name));
  const auto peaks                = report::memory_peaks(outcome.summary, outcome.program, outcome.timeline);
  ASSERT_EQ(nth(outcome.program.devices, peaks[0].devices[0]).index, 1);
  const auto held     = [&](stream::MemoryClass kind) { return nth(peaks[0].classes, kind).value(); };
  const double states = held(stream::MemoryClass::parameters) + held(stream::MemoryClass::gradients) +
                        held(stream::MemoryClass::optimizer_state);
  const double expected = of.parameters * of.of_each + of.terms;
  EXPECT_NEAR(states / expected, 1, kTolerance);
  if (of.activations > 0) {
    const double all = states + held(stream::MemoryClass::activations);
    EXPECT_NEAR(all / (expected + of.activations), 1, kTolerance);
  }
}

// The recipe as its authors ran it, on devices of 80 GB. Whole gradients of two layers, in Float32, are there at most:
// those that are summed, and those that wait; beside them go messages between stages, of less than a third layer.
TEST(RecipeOfLlama405b, FitsWithTheGradientsOfTwoLayers) {
  constexpr double kHidden = 16384, kKeys = 1024, kInner = 53248;
  constexpr double kLayer = (2 * kHidden * kHidden + 2 * kHidden * kKeys + 3 * kHidden * kInner) * 4 / 8;
  const scenario::Outcome outcome =
      scenario::run(scenario::load_file(FOREFLOW_SOURCE_DIR "/scenarios/frameworks/llama3_405b_meta.json", {}));
  for (const report::MemoryPeak& peak : report::memory_peaks(outcome.summary, outcome.program, outcome.timeline)) {
    EXPECT_LT(peak.size.value(), 80e9);
    const double travels = nth(peak.classes, stream::MemoryClass::communication).value();
    EXPECT_LT(travels, 3 * kLayer);
  }
}

// Llama 3.1 8B on 8 H100 under torchtitan, 32,768 tokens a device: contexts take the place of replicas, and what is
// sharded over both stays as large. 83.9, 84.2, 84.0 and 84.5 GiB are stated.
TEST(ContextsUnderTorchtitan, NeedTheMemoryOfReplicas) {
  std::vector<double> peaks;
  for (const auto& [dp, cp] : {std::pair{8, 1}, {4, 2}, {2, 4}, {1, 8}}) {
    const std::string text = R"({"framework": "torchtitan", "workload": {"model": "llama3-8b", "dtype": "fp8",
      "sequence": )" + std::to_string(32768 * cp) +
                             R"(, "mode": "training", "optimizer": "adamw"}, "engine": "analytic",
      "platform": {"topology": "dgx_h100", "nodes": 1}, "strategy": {"recompute": "full", "microbatch_size": 1,
      "global_batch": )" + std::to_string(dp) +
                             R"(, "dp": )" + std::to_string(dp) + R"(, "cp": )" + std::to_string(cp) + "}}";
    const scenario::Outcome outcome = scenario::run(scenario::load(parse_json(text, "contexts"), "contexts"));
    peaks.push_back(report::memory_peaks(outcome.summary, outcome.program, outcome.timeline)[0].size.value());
  }
  for (const double peak : peaks) EXPECT_NEAR(peak / peaks[0], 1, 0.01);
  EXPECT_LT(peaks[0], 84.0 * (1 << 30));
}

INSTANTIATE_TEST_SUITE_P(Published, Memory, testing::ValuesIn(configurations()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace foreflow::published::memory_test
