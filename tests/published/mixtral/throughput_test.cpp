// Mixtral 8x7B on 64 H100 against what the developers of Megatron Core state (README.md beside this file).
#include <gtest/gtest.h>

#include "foreflow/scenario/run.h"

namespace foreflow::published::mixtral_test {
namespace {

scenario::Outcome run(const std::vector<std::string>& overrides = {}) {
  return scenario::run(
      scenario::load_file(FOREFLOW_SOURCE_DIR "/scenarios/frameworks/mixtral_8x7b_megatron_lm.json", overrides));
}

TEST(Mixtral, ComputesAsFastAsIsStated) {
  constexpr double kStated = 468e12;
  EXPECT_NEAR(run().summary.model_rate.value(), kStated, 0.11 * kStated);
}

// 12.75 billion parameters are in the products of a token (the whole has 46.7), and each of 32 layers multiplies its
// query with 4096 keys and its probabilities with as many values.
TEST(Mixtral, RequiresTheWorkOfTheChosenExpertsWhateverPlacesTheyHave) {
  constexpr double kHidden = 4096, kInner = 14336, kKeys = 1024, kVocabulary = 32000, kSequence = 4096;
  constexpr double kLayer = 2 * kHidden * (kHidden + kKeys) + kHidden * 8 + 2 * 3 * kHidden * kInner;
  constexpr double kToken = 3 * (2 * (32 * kLayer + kHidden * kVocabulary) + 32 * 4 * kSequence * kHidden);
  for (const std::string factor : {"1", "1.25", "2"}) {
    const scenario::Outcome outcome = run({"workload.capacity_factor=" + factor});
    EXPECT_NEAR(outcome.summary.job.model_flops.value() / (256 * kSequence * kToken), 1, 0.005) << factor;
  }
}

}  // namespace
}  // namespace foreflow::published::mixtral_test
