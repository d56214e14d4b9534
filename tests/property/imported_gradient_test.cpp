// Gradients of real models, shrunk: imported, given a loss, and compared with differences of the loss, in double.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/interpret/mixed.h"
#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "support/imports.h"
#include "support/shared.h"
#include "support/slopes.h"

namespace foreflow::test::imported_gradient_test {
namespace {

class ImportedGradients : public ::testing::TestWithParam<std::string> {};

TEST_P(ImportedGradients, AreTheSlopesOfTheLoss) {
  const auto subject =
      std::find_if(imports().begin(), imports().end(), [](const Imported& one) { return one.name == GetParam(); });
  FOREFLOW_SHARED_OR_SKIP(file, "onnx/models/" + subject->file);
  std::mt19937_64 random(11);
  const ir::Module module = with_loss(file, *subject);
  const auto arguments    = moderate_arguments(module, random, 3, subject->mask);
  const SlopeCheck check  = check_slopes(module, arguments, random, subject->weights, subject->most);
  RecordProperty("parameters", check.parameters);
  RecordProperty("worst_relative_error", std::to_string(check.worst * 1e9) + "e-9");
  EXPECT_LT(check.worst, 1e-4) << "%" << check.parameter;
  EXPECT_LT(check.zero, check.parameters / 2);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Imported& subject : imports()) all.push_back(subject.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, ImportedGradients, ::testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

// The types of the first `count` results.
std::vector<std::string> result_types(const ir::Module& module, size_t first, size_t count) {
  const auto interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  std::vector<std::string> types;
  for (size_t i = first; i < first + count; ++i) {
    types.push_back(to_string(interpretation.entry().values[ir::index(module.entry().results[i])].type));
  }
  return types;
}

// Eleven weights, in the same order; what follows in the export stands for inputs that have no gradient.
TEST(ImportedBackward, GivesTheGradientsOfTheExportedOne) {
  FOREFLOW_SHARED_OR_SKIP(forward, "onnx/models/llama_fwd_small.onnx");
  FOREFLOW_SHARED_OR_SKIP(backward, "onnx/models/llama_bwd_small.onnx");
  const size_t kWeights     = llama_weights().size();
  const ir::Module model    = onnx::import_model(forward.string(), ops::table(), onnx::Numbers::skip).module;
  const ir::Module ours     = transform::differentiate(transform::add_loss(model, ops::table(), "sum"), ops::table(),
                                                       transform::Inputs::none, llama_weights());
  const ir::Module exported = onnx::import_model(backward.string(), ops::table(), onnx::Numbers::skip).module;
  EXPECT_EQ(ours.entry().results.size(), 1 + kWeights);
  EXPECT_EQ(result_types(ours, 1, kWeights), result_types(exported, 0, kWeights));
}

}  // namespace
}  // namespace foreflow::test::imported_gradient_test
