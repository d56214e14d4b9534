// Models that others exported, in pipelines of 2 to 8 stages: predictions, and training steps with the loss `sum`, which
// has no op of its own, are what the sequential program computes.
#include <gtest/gtest.h>

#include <map>

#include "foreflow/interpret/concrete.h"
#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/shapes.h"
#include "foreflow/transform/join_slices.h"
#include "support/distribution.h"
#include "support/shared.h"

namespace foreflow {
namespace {

constexpr double kTolerance = 1e-3;  // 32-bit floats, summed in another order
constexpr int64_t kBatch    = 4;

struct Model {
  std::string name, file;
  std::map<std::string, ir::Dims> shapes;
};

const std::vector<Model>& models() {
  const ir::Dims kTokens{kBatch, 3};
  static const std::vector<Model> kModels = {
      {"encoder", "encdec_encoder_vespa.onnx", {{"input_ids", kTokens}, {"attention_mask", kTokens}}}};
  return kModels;
}

struct Original {
  ir::Module module;
  std::vector<ir::Array> arguments, results;
};

Original original(const std::filesystem::path& path, const Model& model, bool trains) {
  const onnx::Imported imported =
      onnx::import_model(path.string(), ops::table(), onnx::Numbers::skip, {.shapes = model.shapes, .inputs = {}});
  ir::Module module = transform::lift_constants(scenario::with_shapes(imported, model.shapes, "test"), ops::table());
  if (trains) {
    module = transform::add_loss(transform::join_slices(module, ops::table()), ops::table(), "sum");
    module = transform::add_optimizer(transform::differentiate(module, ops::table()), ops::table(), "momentum");
  }
  Original made{transform::eliminate_dead_code(transform::resolve(module)), {}, {}};
  std::mt19937_64 random(5);
  made.arguments = test::random_arguments(made.module, random, 2);
  made.results   = interpret::evaluate(made.module, made.module.functions.size() - 1, made.arguments);
  return made;
}

size_t calls_of(const ir::Module& module, std::string_view part) {
  size_t count = 0;
  for (const ir::Function& function : module.functions) count += function.name.find(part) != std::string::npos ? 1 : 0;
  return count;
}

void expect_same_numbers(const Original& original, bool trains) {
  for (int pp = 2; pp <= 8; ++pp) {
    for (const std::string schedule : {"1f1b", "zb_h1", "interleaved_1f1b"}) {
      if (schedule == "interleaved_1f1b" && (pp > 2 || !trains)) continue;
      const test::Split split{1, 1, pp, 4, schedule};
      SCOPED_TRACE(test::to_string(split));
      const auto steps = test::distribute(original.module, split);
      EXPECT_GE(calls_of(steps.back().module, "_forward"), static_cast<size_t>(pp));
      if (trains) {
        EXPECT_GE(calls_of(steps.back().module, schedule == "zb_h1" ? "_input_grad" : "_backward"), 1U);
      }
      const auto results = test::run(steps, original.arguments, original.results.size());
      for (size_t i = 0; i < results.size(); ++i)
        ASSERT_LE(test::relative_difference(results[i], original.results[i]), kTolerance) << "result " << i;
    }
  }
}

class EveryImportedPipeline : public testing::TestWithParam<std::string> {
 protected:
  static const Model& model() {
    for (const Model& row : models()) {
      if (row.name == GetParam()) return row;
    }
    throw Error("test", "no model " + GetParam());
  }
};

TEST_P(EveryImportedPipeline, PredictTheSameNumbers) {
  FOREFLOW_SHARED_OR_SKIP(path, "onnx/models/" + model().file);
  expect_same_numbers(original(path, model(), false), false);
}

TEST_P(EveryImportedPipeline, TrainToTheSameNumbers) {
  FOREFLOW_SHARED_OR_SKIP(path, "onnx/models/" + model().file);
  expect_same_numbers(original(path, model(), true), true);
}

// This export mixes samples in a product, so that there is no microbatch.
TEST(ImportedPipelines, RefuseAModelThatNeedsTheWholeBatch) {
  FOREFLOW_SHARED_OR_SKIP(path, "onnx/models/bert_vespa.onnx");
  const ir::Dims tokens{kBatch, 3};
  const Model bert{"bert", "", {{"input_ids", tokens}, {"attention_mask", tokens}, {"token_type_ids", tokens}}};
  try {
    test::distribute(original(path, bert, true).module, {1, 1, 2, 4});
    ADD_FAILURE() << "was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "needs the whole batch at once, so the batch cannot be split over microbatches");
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryImportedPipeline, testing::Values("encoder"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace foreflow
