// A distributed program computes what its sequential original does, whatever the degrees of parallelism.
#include "support/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "foreflow/interpret/concrete.h"
#include "foreflow/onnx/gpt2_graph.h"
#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/shapes.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/pieces.h"
#include "foreflow/transform/simplify.h"

namespace foreflow::distribution_test {
namespace {

using test::Split;
using transform::Distributed;
using workload::Mode;

// Summation order differs between the two programs; 32-bit floats allow for this much of a tensor's largest element.
constexpr double kTolerance = 1e-4;
// The same for gradients of 16-bit floats, which have 11 bits.
constexpr double kShortTolerance = 2e-2;

constexpr int64_t kBatch = 8, kLayers = 4, kHeads = 4, kKvHeads = 2, kVocabulary = 11;
const std::string kMlp = R"({"layers": 4, "hidden": 8})";
const std::string kMoe =
    R"({"layers": 4, "hidden": 16, "feed_forward": 8, "heads": 4, "kv_heads": 2, "sequence": 4, "vocabulary": 11,
                             "experts": 4, "capacity_factor": 1, "routing_groups": 2, "shared_experts": 1})";
const std::string kGpt = R"({"layers": 4, "hidden": 16, "heads": 4, "sequence": 4, "vocabulary": 11})";

ir::Module simplified(const ir::Module& module) { return transform::eliminate_dead_code(transform::resolve(module)); }

ir::Module gradients_of(const std::string& name, const std::string& sizes, ir::DType dtype = ir::DType::f32) {
  return transform::differentiate(test::family(name, sizes, kBatch, Mode::training, dtype), ops::table());
}

ir::Module updated(const ir::Module& module, const std::string& optimizer,
                   transform::MixedPrecision precision = {.master_weights = true}) {
  return transform::add_optimizer(module, ops::table(), optimizer, precision);
}

ir::Module gpt_graph() {
  const std::string bytes =
      onnx::write_gpt2({.layers = kLayers, .heads = kHeads, .hidden = 16, .vocabulary = kVocabulary, .positions = 4});
  const onnx::Imported imported = onnx::import_bytes(bytes, "gpt2", ops::table());
  return scenario::with_shapes(imported, {{imported.inputs.front().name, {kBatch, 1, 4}}}, "test");
}

// How a model says which splits are legal: all its sizes divide evenly.
struct Model {
  std::string name;
  ir::Module (*build)();
  int64_t ways;  // greatest degree of tensor parallelism: whatever divides it is legal
  double tolerance = kTolerance;
};

const std::vector<Model>& models() {
  static const std::vector<Model> kModels = {
      {"mlp_inference", [] { return test::family("mlp", kMlp, kBatch, Mode::inference); }, 8},
      {"mlp_gradients", [] { return gradients_of("mlp", kMlp); }, 8},
      {"mlp_sgd", [] { return updated(gradients_of("mlp", kMlp), "sgd"); }, 8},
      {"gpt_gradients", [] { return gradients_of("gpt", kGpt); }, kHeads},
      {"gpt_sgd", [] { return updated(gradients_of("gpt", kGpt), "sgd"); }, kHeads},
      {"gpt_adam", [] { return updated(gradients_of("gpt", kGpt), "adam"); }, kHeads},
      {"gpt_momentum", [] { return updated(gradients_of("gpt", kGpt), "momentum"); }, kHeads},
      {"mlp_mixed_sgd", [] { return updated(gradients_of("mlp", kMlp, ir::DType::f16), "sgd"); }, 8, kShortTolerance},
      {"mlp_mixed_gradients",
       [] {
         return updated(gradients_of("mlp", kMlp, ir::DType::bf16), "momentum",
                        {.master_weights = true, .float_gradients = true});
       },
       8, kShortTolerance},
      {"gpt_mixed_adam", [] { return updated(gradients_of("gpt", kGpt, ir::DType::f16), "adam"); }, kHeads,
       kShortTolerance},
      {"moe_inference", [] { return test::family("moe", kMoe, kBatch, Mode::inference); }, kKvHeads},
      {"moe_adam", [] { return updated(gradients_of("moe", kMoe), "adam"); }, kKvHeads},
      {"gpt_graph", gpt_graph, kHeads},
  };
  return kModels;
}

// The sequential program with its arguments and results, made once for a whole suite.
struct Sequential {
  ir::Module module;
  std::vector<ir::Array> arguments, results;
};

Sequential sequential(const Model& model) {
  std::mt19937_64 random(20260);
  Sequential made;
  made.module    = simplified(model.build());
  made.arguments = test::random_arguments(made.module, random, kVocabulary);
  made.results   = interpret::evaluate(made.module, made.module.functions.size() - 1, made.arguments);
  return made;
}

bool is_legal(const Model& model, const Split& split) {
  return kBatch % (split.dp * split.microbatches) == 0 && model.ways % split.tp == 0 && kLayers % split.pp == 0;
}

void expect_same_numbers(const Sequential& original, const Split& split, double tolerance) {
  const std::vector<Distributed> steps = test::distribute(original.module, split);
  const auto results                   = test::run(steps, original.arguments, original.results.size());
  ASSERT_EQ(results.size(), original.results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_LE(test::relative_difference(results[i], original.results[i]), tolerance) << "result " << i;
  }
}

// An illegal split may still be possible (stages of unequal work); what is not is refused as the user's mistake.
void check(const Model& model, const Sequential& original, const Split& split) {
  SCOPED_TRACE(test::to_string(split));
  try {
    expect_same_numbers(original, split, model.tolerance);
  } catch (const Error& error) {
    EXPECT_FALSE(is_legal(model, split)) << error.what();
  } catch (const InternalError& error) {
    ADD_FAILURE() << error.what();
  }
}

class EveryModel : public testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(EveryModel, ComputesTheSameNumbersOverEverySplitOfUpToEightDevices) {
  const auto& [name, tp] = GetParam();
  const auto model = std::find_if(models().begin(), models().end(), [&](const Model& row) { return row.name == name; });
  const Sequential original = sequential(*model);
  for (int pp = 1; pp * tp <= 8; ++pp) {
    for (int dp = 1; dp * pp * tp <= 8; ++dp) {
      for (const int microbatches : {1, 2, 3, 4, 8}) {
        check(*model, original, {dp, tp, pp, microbatches, "1f1b"});
        if (pp > 1) check(*model, original, {dp, tp, pp, microbatches, "gpipe"});
      }
    }
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Model& model : models()) all.push_back(model.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Distribution, EveryModel, testing::Combine(testing::ValuesIn(names()), testing::Range(1, 9)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_tp" + std::to_string(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace foreflow::distribution_test
