// Sums of the gradients of norms over tensor-parallel ranks: behind the backward pass, or within it where sums over
// replicas begin there.
#include <gtest/gtest.h>

#include "foreflow/base/nth.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario::early_sums_test {
namespace {

// Two norms and seven matrices a layer, of which a device has half: 12 h^2 weights of 16 bits. Few samples and a small
// vocabulary, so that little else is in memory.
constexpr int kLayers    = 8;
constexpr double kHidden = 1024, kUnit = 12 * kHidden * kHidden * 2 / 2;

Outcome simulated(const std::string& strategy) {
  const std::string text =
      R"({"workload": {"model": "llama", "layers": 8, "hidden": 1024, "heads": 8, "kv_heads": 8, "feed_forward": 2730,
                       "sequence": 64, "vocabulary": 64, "dtype": "f16", "optimizer": "sgd"},
          "platform": {"topology": "dgx_a100"}, "cost": {"model": "roofline"}, "engine": "analytic",
          "strategy": {"tp": 2, "global_batch": 4, )" +
      strategy + "}}";
  return run(load(parse_json(text, "early.json"), "early.json"));
}

const std::string
    kUnits = R"("dp": 4, "zero": 2, "overlap_gradients": true, "shard_unit": "block", "limit_reduce_scatters": true)",
    kSequence = R"(, "sequence_parallel": true)";

// Of the sums of norms' gradients on D1: how many of its messages of activations follow each of them.
std::vector<size_t> messages_behind_sums(const std::string& strategy) {
  const Outcome outcome          = simulated(strategy);
  const stream::Program& program = outcome.program;
  std::vector<size_t> behind;
  for (const stream::Item& item : program.streams.front().items) {
    if (item.instance < 0) continue;
    const stream::Communication& message = nth(program.communications, item.event);
    const bool activations               = message.bytes > Bytes(kHidden * 2) && message.name.starts_with("MPI");
    if (message.bytes == Bytes(kHidden * 2) && message.name == "MPIAllreduce") {
      behind.push_back(0);
    } else if (activations) {
      for (size_t& count : behind) ++count;
    }
  }
  return behind;
}

// A layer has two norms, and six messages along the sequence in its backward pass: each of its two regions gathers its
// operand again, gathers a gradient and scatters one.
TEST(EarlySums, AreTakenInTheirLayer) {
  const std::vector<size_t> early = messages_behind_sums(kUnits + kSequence);
  ASSERT_EQ(early.size(), 2 * kLayers + 1);
  for (size_t i = 0; i + 2 < early.size(); ++i) EXPECT_EQ(early[i] - early[i + 2], 6) << i;
}

// As Megatron-LM's finalize_model_grads takes them. Behind them only the gradient of the embeddings is gathered.
TEST(EarlySums, ComeBehindTheBackwardPassOtherwise) {
  const std::vector<size_t> late = messages_behind_sums(R"("dp": 1)" + kSequence);
  ASSERT_EQ(late.size(), 2 * kLayers + 1);
  for (const size_t count : late) EXPECT_LE(count, 1);
}

TEST(EarlySums, HoldTheGradientsOfTwoUnits) {
  const double parts = (kLayers - 1) * kUnit / 4;
  const auto peak    = [](const std::string& strategy) {
    return simulated(strategy).summary.devices[0].peak_memory.value();
  };
  const double weights = kLayers * kUnit;
  EXPECT_NEAR(peak(kUnits) - weights, 2 * kUnit + parts, 0.5 * kUnit);
  EXPECT_NEAR(peak(kUnits + kSequence) - weights, 2 * kUnit + parts, 0.5 * kUnit);
}

}  // namespace
}  // namespace foreflow::scenario::early_sums_test
