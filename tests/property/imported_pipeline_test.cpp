// Models that others exported, shrunk, in pipelines: predictions and training steps are what the sequential program
// computes, or one sentence says which op of the export stands in the way.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/pieces.h"
#include "foreflow/transform/simplify.h"
#include "support/distribution.h"
#include "support/imports.h"
#include "support/shared.h"
#include "support/slopes.h"

namespace foreflow::test::imported_pipeline_test {
namespace {

// Everything is computed in double; only the order of sums differs.
constexpr double kTolerance = 1e-9;

// Inputs with a batch, and into how many microbatches it is cut.
struct Batch {
  Shapes shapes;
  std::vector<int> microbatches = {1, 2, 4};
};

Shapes caches(int layers) {
  Shapes shapes{{"input_ids", {4, 1}}};
  for (int layer = 0; layer < layers; ++layer) shapes["past_" + std::to_string(layer)] = {2, 4, 2, 1, 2};
  return shapes;
}

// Exports that state their batch write it into shapes (a Reshape to [1, 512]), so there is no other: 1, and 2 of llama.
const std::map<std::string, Batch>& batches() {
  const ir::Dims kTokens{4, 3};
  const Shapes kText{{"input_ids", kTokens}, {"attention_mask", kTokens}, {"token_type_ids", kTokens}};
  static const std::map<std::string, Batch> kBatches = {
      {"bert", {kText}},
      {"bert_mlm", {kText}},
      {"encoder", {kText}},
      {"detector", {{{"input", {1, 3, 32, 32}}}, {1}}},
      {"gpt2_past", {caches(12)}},
      {"gpt2_mask",
       {{{"input_ids", kTokens}, {"past_0", {2, 4, 2, 1, 2}}, {"attention_mask", {4, 4}}, {"position_ids", kTokens}}}},
      {"llama", {{{"input13", {2, 16}}, {"input14", {2, 16}}}, {1, 2}}},
      {"resnet18", {{{"input", {1, 3, 64, 64}}}, {1}}},
      {"resnet50", {{{"gpu_0/data_0", {1, 3, 64, 64}}}, {1}}},
      {"squeezenet", {{{"data_0", {4, 3, 64, 64}}}}},
  };
  return kBatches;
}

// Attention over the first dimension of the tokens, which only the one sample of a batch survives.
const std::map<std::string, std::string>& mixing_ops() {
  static const std::map<std::string, std::string> kOps = {{"bert", "%78 = MatMul"}, {"bert_mlm", "%attn = MatMul"}};
  return kOps;
}

Imported subject_of(const std::string& name) {
  const auto& all  = imports();
  Imported subject = *std::find_if(all.begin(), all.end(), [&](const Imported& one) { return one.name == name; });
  subject.shapes   = batches().at(name).shapes;
  return subject;
}

struct Original {
  ir::Module module;
  std::vector<ir::Array> arguments, results;
};

Original original(const ir::Module& module, const Imported& subject) {
  Original made{transform::eliminate_dead_code(transform::resolve(module)), {}, {}};
  std::mt19937_64 random(5);
  made.arguments = moderate_arguments(made.module, random, 2, subject.mask);
  made.results   = interpret::evaluate(made.module, made.module.functions.size() - 1, made.arguments);
  return made;
}

ir::Module step(const ir::Module& loss, const Imported& subject) {
  const ir::Module gradients = transform::differentiate(loss, ops::table(), transform::Inputs::none, subject.weights);
  return transform::add_optimizer(gradients, ops::table(), "sgd", {}, subject.weights);
}

// The calls of functions with `part` in their names.
size_t functions_with(const ir::Module& module, std::string_view part) {
  return static_cast<size_t>(
      std::count_if(module.functions.begin(), module.functions.end(),
                    [&](const ir::Function& function) { return function.name.find(part) != std::string::npos; }));
}

void expect_same_numbers(const Original& original, const Split& split, bool trains) {
  const std::vector<transform::Distributed> steps = distribute(original.module, split);
  EXPECT_GE(functions_with(steps.back().module, "_forward"), static_cast<size_t>(split.pp));
  EXPECT_EQ(functions_with(steps.back().module, split.delay_weight_gradients ? "_input_grad" : "_backward") > 0,
            trains);
  const auto results = run(steps, original.arguments, original.results.size());
  ASSERT_EQ(results.size(), original.results.size());
  for (size_t i = 0; i < results.size(); ++i)
    EXPECT_LE(relative_difference(results[i], original.results[i]), kTolerance) << "result " << i;
}

// In stages of as many microbatches as the batch has; where samples meet, one sentence says where.
void expect_same_numbers(const std::string& name, const Original& original, bool trains) {
  const auto mixing = mixing_ops().find(name);
  for (const int pp : {2, 4}) {
    for (const int microbatches : batches().at(name).microbatches) {
      for (const bool delayed : {false, true}) {
        const Split split{.pp = pp, .microbatches = microbatches, .delay_weight_gradients = delayed};
        if (delayed && !trains) continue;
        SCOPED_TRACE(to_string(split));
        if (mixing == mixing_ops().end() || microbatches == 1) {
          expect_same_numbers(original, split, trains);
          continue;
        }
        try {
          distribute(original.module, split);
          ADD_FAILURE() << "was accepted";
        } catch (const Error& error) {
          EXPECT_THAT(error.where(), testing::EndsWith(mixing->second));
          EXPECT_THAT(error.problem(), testing::StartsWith("needs the whole batch at once, because "));
          EXPECT_THAT(error.problem(), testing::HasSubstr(", so the batch cannot be split over microbatches"));
        }
      }
    }
  }
}

class EveryImportedPipeline : public testing::TestWithParam<std::string> {};

TEST_P(EveryImportedPipeline, PredictsTheSameNumbers) {
  const Imported subject = subject_of(GetParam());
  FOREFLOW_SHARED_OR_SKIP(file, "onnx/models/" + subject.file);
  expect_same_numbers(GetParam(), original(without_loss(file, subject), subject), false);
}

TEST_P(EveryImportedPipeline, TrainsToTheSameNumbers) {
  Imported subject = subject_of(GetParam());
  FOREFLOW_SHARED_OR_SKIP(file, "onnx/models/" + subject.file);
  for (const std::string& loss : {subject.loss, std::string("sum")}) {
    SCOPED_TRACE(loss);
    subject.loss = loss;
    expect_same_numbers(GetParam(), original(step(with_loss(file, subject), subject), subject), true);
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Imported& subject : imports()) all.push_back(subject.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, EveryImportedPipeline, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace foreflow::test::imported_pipeline_test
