// However replicas share gradients, optimizer states and weights, they compute what the sequential program does.
#include <gtest/gtest.h>

#include <tuple>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/simplify.h"
#include "support/distribution.h"

namespace foreflow::data_parallel_test {
namespace {

using test::Split;
using workload::Mode;

constexpr int64_t kBatch = 8, kVocabulary = 11;

struct Model {
  std::string name, family, sizes, optimizer;
  ir::DType dtype                     = ir::DType::f32;
  transform::MixedPrecision precision = {};
  double tolerance                    = 1e-4;  // of a tensor's largest element: summation order differs
};

// 5 divides by no number of replicas, so that flat parts are padded.
const std::vector<Model>& models() {
  static const std::string kMlp = R"({"layers": 4, "hidden": 8})", kOdd = R"({"layers": 3, "hidden": 5})",
                           kGpt   = R"({"layers": 2, "hidden": 8, "heads": 2, "sequence": 4, "vocabulary": 11})",
                           kLlama = R"({"layers": 2, "hidden": 8, "heads": 2, "feed_forward": 24, "sequence": 4,
                                        "vocabulary": 11})";
  static const std::vector<Model> kModels = {
      {"mlp_sgd", "mlp", kMlp, "sgd"},
      {"mlp_padded", "mlp", kOdd, "momentum"},
      {"mlp_mixed", "mlp", kMlp, "sgd", ir::DType::bf16, {.master_weights = true, .float_gradients = true}, 2e-2},
      {"gpt_sgd", "gpt", kGpt, "sgd"},
      {"gpt_adam", "gpt", kGpt, "adam"},
      {"llama_adam", "llama", kLlama, "adam"},
      {"moe_sgd", "moe", kGpt, "sgd"},
      {"gpt_mixed", "gpt", kGpt, "adamw", ir::DType::f16, {.master_weights = true}, 2e-2},
  };
  return kModels;
}

const Model& model_named(const std::string& name) {
  return *std::find_if(models().begin(), models().end(), [&](const Model& row) { return row.name == name; });
}

struct Sequential {
  ir::Module module;
  std::vector<ir::Array> arguments, results;
};

Sequential sequential(const Model& model) {
  const ir::Module forward = test::family(model.family, model.sizes, kBatch, Mode::training, model.dtype);
  const ir::Module step    = transform::add_optimizer(transform::differentiate(forward, ops::table()), ops::table(),
                                                      model.optimizer, model.precision);
  std::mt19937_64 random(20260);
  Sequential made;
  made.module    = transform::eliminate_dead_code(transform::resolve(step));
  made.arguments = test::random_arguments(made.module, random, kVocabulary);
  made.results   = interpret::evaluate(made.module, made.module.functions.size() - 1, made.arguments);
  return made;
}

class Replicas : public testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(Replicas, ComputeTheSameNumbersHoweverTheyShare) {
  const auto& [name, zero]  = GetParam();
  const Model& model        = model_named(name);
  const Sequential original = sequential(model);
  for (const int dp : {2, 4}) {
    for (const auto& [tp, pp, microbatches] : {std::tuple{1, 1, 1}, {1, 1, 2}, {2, 1, 1}, {1, 2, 2}, {2, 2, 2}}) {
      if (tp > 1 && name == "mlp_padded") continue;
      for (const bool overlap : {false, true}) {
        for (const Bytes bucket : {Bytes(0), Bytes(200), Bytes(1e6)}) {
          const Split split{dp, tp, pp, microbatches, "1f1b", zero, overlap, bucket};
          SCOPED_TRACE(test::to_string(split));
          const auto steps   = test::distribute(original.module, split);
          const auto results = test::run(steps, original.arguments, original.results.size());
          for (size_t i = 0; i < results.size(); ++i)
            ASSERT_LE(test::relative_difference(results[i], original.results[i]), model.tolerance) << "result " << i;
        }
      }
    }
  }
}

TEST_P(Replicas, ComputeTheSameNumbersInUnitsOfBlocks) {
  const auto& [name, zero]  = GetParam();
  const Model& model        = model_named(name);
  const Sequential original = sequential(model);
  for (const auto& [tp, pp, microbatches] : {std::tuple{1, 1, 1}, {2, 1, 1}, {1, 2, 2}}) {
    if (tp > 1 && name == "mlp_padded") continue;
    for (const auto& [overlap, prefetch, keeps] :
         {std::tuple{false, true, true}, {true, false, false}, {true, true, true}}) {
      Split split{2, tp, pp, microbatches, "1f1b", zero, overlap, Bytes(0)};
      split.by_block       = true;
      split.prefetch       = prefetch;
      split.keeps_gathered = keeps;
      split.float_gathers  = keeps;
      split.limit_scatters = keeps;
      SCOPED_TRACE(test::to_string(split));
      const auto steps   = test::distribute(original.module, split);
      const auto results = test::run(steps, original.arguments, original.results.size());
      for (size_t i = 0; i < results.size(); ++i)
        ASSERT_LE(test::relative_difference(results[i], original.results[i]), model.tolerance) << "result " << i;
    }
  }
}

// Numbers differ by what the type of the sums rounds away.
TEST_P(Replicas, ComputeTheSameNumbersWhenGradientsAreSummedInAnotherType) {
  const auto& [name, zero]  = GetParam();
  const Model& model        = model_named(name);
  const Sequential original = sequential(model);
  for (const auto& [dtype, rounding] :
       {std::pair{ir::DType::f32, 1e-4}, {ir::DType::bf16, 2e-2}, {ir::DType::f16, 4e-3}}) {
    for (const auto& [tp, pp, microbatches] : {std::tuple{1, 1, 1}, {1, 1, 2}, {2, 1, 1}, {1, 2, 2}}) {
      if (tp > 1 && name == "mlp_padded") continue;
      for (const auto& [overlap, bucket] : {std::pair{false, Bytes(0)}, {true, Bytes(200)}, {true, Bytes(1e6)}}) {
        Split split{2, tp, pp, microbatches, "1f1b", zero, overlap, bucket};
        split.reduce_dtype = dtype;
        SCOPED_TRACE(test::to_string(split));
        const auto steps   = test::distribute(original.module, split);
        const auto results = test::run(steps, original.arguments, original.results.size());
        for (size_t i = 0; i < results.size(); ++i)
          ASSERT_LE(test::relative_difference(results[i], original.results[i]), std::max(model.tolerance, rounding))
              << "result " << i;
      }
    }
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Model& model : models()) all.push_back(model.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Zero, Replicas, testing::Combine(testing::ValuesIn(names()), testing::Range(0, 4)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_zero" + std::to_string(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace foreflow::data_parallel_test
