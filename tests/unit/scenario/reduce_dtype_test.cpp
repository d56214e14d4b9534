// strategy.reduce_dtype: the type in which gradients are summed over replicas.
#include <gtest/gtest.h>

#include "foreflow/scenario/idle.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario::reduce_dtype_test {
namespace {

constexpr double kLayers = 2, kHidden = 256, kVocabulary = 1000, kSequence = 64;
// Of a GPT: 12 h^2 + 13 h a layer, (V + s) h embeddings, the last norm 2 h.
constexpr double kParameters =
    kLayers * (12 * kHidden * kHidden + 13 * kHidden) + (kVocabulary + kSequence) * kHidden + 2 * kHidden;

Scenario loaded(const std::string& workload, const std::string& strategy) {
  const std::string text =
      R"({"workload": {"model": "gpt", "layers": 2, "hidden": 256, "heads": 4, "sequence": 64, "vocabulary": 1000,
                       "optimizer": "adam")" +
      workload + R"(}, "platform": {"topology": "dgx_a100"}, "engine": "analytic", "cost": {"model": "roofline"},
          "strategy": {"global_batch": 64)" +
      (strategy.find("\"dp\"") == std::string::npos ? R"(, "dp": 8)" : "") + strategy + "}}";
  return load(parse_json(text, "reduce.json"), "reduce.json");
}

struct Sums {
  double bytes = 0, time = 0;
  int64_t count = 0;
};

// All that travels to sum gradients, without the one number of the loss.
Sums sums(const report::Summary& summary) {
  Sums all;
  for (const auto& row : summary.collectives) {
    if (row.kind != "all_reduce" && row.kind != "reduce_scatter") continue;
    if (row.bytes <= Bytes(8)) continue;
    all.bytes += row.bytes.value() * static_cast<double>(row.count);
    all.time += row.time.value();
    all.count += row.count;
  }
  return all;
}

const std::string kWays[] = {R"(, "zero": 0)",
                             R"(, "zero": 0, "bucket_size": "1MB", "overlap_gradients": true)",
                             R"(, "zero": 1, "bucket_size": "1MB")",
                             R"(, "zero": 2, "bucket_size": "1MB", "overlap_gradients": true)",
                             R"(, "zero": 3, "shard_unit": "block", "overlap_gradients": true)",
                             R"(, "zero": 1, "microbatches": 4)",
                             R"(, "zero": 2, "microbatches": 4)",
                             R"(, "zero": 3, "microbatches": 4, "bucket_size": "1MB")"};

// The numbers that are summed in an iteration. ZeRO 2 and 3 sum in every microbatch, but the embedding, which is the
// output layer, too, and gets its gradient from both, after the last one.
double summed(const std::string& way) {
  const bool each = way.find("zero\": 2") != std::string::npos || way.find("zero\": 3") != std::string::npos;
  if (!each || way.find("microbatches") == std::string::npos) return kParameters;
  return 4 * kParameters - 3 * kVocabulary * kHidden;
}

TEST(ReduceDtype, BytesOfTheSumsAreThoseOfTheirType) {
  for (const std::string& way : kWays) {
    for (const auto& [dtype, width] : {std::pair<std::string, double>{"f32", 4}, {"bf16", 2}, {"f16", 2}}) {
      const std::string chosen = way + R"(, "reduce_dtype": ")" + dtype + "\"";
      for (const std::string own : {"f32", "bf16"}) {
        const auto made = run(loaded(R"(, "dtype": ")" + own + "\"", chosen)).summary;
        EXPECT_DOUBLE_EQ(sums(made).bytes, width * summed(way)) << chosen << " of " << own;
      }
    }
  }
}

// The same messages as those of gradients that have the type themselves; weights are gathered in their own.
TEST(ReduceDtype, MessagesTakeTheTimeOfTheirBytes) {
  for (const std::string& way : kWays) {
    const auto wide  = run(loaded(R"(, "dtype": "bf16", "float_gradients": true)", way)).summary,
               own   = run(loaded(R"(, "dtype": "bf16")", way)).summary,
               wider = run(loaded(R"(, "dtype": "bf16")", way + R"(, "reduce_dtype": "f32")")).summary;
    EXPECT_DOUBLE_EQ(sums(wider).bytes, sums(wide).bytes) << way;
    EXPECT_EQ(sums(wider).count, sums(own).count) << way;
    // Buckets are filled by the bytes of gradients as they are kept, so here they hold twice as many.
    if (way.find("bucket_size") == std::string::npos) {
      EXPECT_EQ(sums(wide).count, sums(wider).count) << way;
      EXPECT_NEAR(sums(wider).time, sums(wide).time, 1e-9) << way;
    }
  }
}

// Each gradient is converted before its sum and each sum after it: (2 + 4) bytes of 8 parts before, of one after it
// where they are scattered. One device does nothing else besides; what travels takes as long as in Float32.
TEST(ReduceDtype, ConversionsTakeTheTimeOfTheirTraffic) {
  constexpr double kMemory = 739.0 / 900 * 2.039e12, kLaunch = 10e-6;
  const auto base       = run(loaded(R"(, "dtype": "bf16")", R"(, "zero": 1)")).summary,
             wider      = run(loaded(R"(, "dtype": "bf16")", R"(, "zero": 1, "reduce_dtype": "f32")")).summary;
  const double computes = (wider.devices[0].compute - base.devices[0].compute).value();
  const double traffic  = 6 * kParameters * (1 + 1. / 8) / kMemory;
  const double launches = 2 * (12 * kLayers + 4);  // tensors: biases and matrices of the four products, two norms
  EXPECT_NEAR(computes, traffic + launches * kLaunch, 1e-9);
}

std::string why_idle(const std::string& workload, const std::string& strategy) {
  const Scenario scenario = loaded(workload, strategy);
  for (const IdleKey& key : idle_keys(scenario, run(scenario).summary)) {
    if (key.where.find("reduce_dtype") != std::string::npos) return key.why;
  }
  return "";
}

TEST(ReduceDtype, SaysWhereItChangesNothing) {
  const std::string bf16 = R"(, "dtype": "bf16")";
  EXPECT_EQ(why_idle(bf16, R"(, "reduce_dtype": "f32")"), "");
  EXPECT_EQ(why_idle(bf16, R"(, "reduce_dtype": "bf16")"), "gradients have this type");
  EXPECT_EQ(why_idle(R"(, "dtype": "bf16", "float_gradients": true)", R"(, "reduce_dtype": "f32")"),
            "gradients have this type");
  EXPECT_EQ(why_idle(R"(, "dtype": "bf16", "mode": "inference")", R"(, "reduce_dtype": "f32")"),
            "inference has no gradients");
  EXPECT_EQ(why_idle(bf16, R"(, "dp": 1, "reduce_dtype": "f32")"), "dp and cp are 1");
  EXPECT_EQ(why_idle(bf16, R"(, "dp": 1, "cp": 2, "reduce_dtype": "f32")"), "");
}

TEST(ReduceDtype, IsRefusedWithTheChoices) {
  try {
    loaded("", R"(, "reduce_dtype": "int8")");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), R"(reduce.json: $.strategy.reduce_dtype: is "int8"; write gradient, f32, bf16 or f16)");
  }
}

}  // namespace
}  // namespace foreflow::scenario::reduce_dtype_test
