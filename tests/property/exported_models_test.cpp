// Models that PyTorch exported, in shared/onnx/exported or in the folder that FOREFLOW_EXPORTED_MODELS names:
// distributed, they compute what the sequential program does, and at real sizes they can be cut.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/shapes.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/simplify.h"
#include "support/distribution.h"
#include "support/shared.h"
#include "support/slopes.h"

namespace foreflow::test::exported_models_test {
namespace {

std::vector<std::string> models() {
  const char* named                  = std::getenv("FOREFLOW_EXPORTED_MODELS");
  const std::filesystem::path folder = named == nullptr ? find_shared("onnx/exported") : std::filesystem::path(named);
  std::vector<std::string> files;
  if (folder.empty()) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".onnx") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::map<std::string, int64_t> sizes_of(const onnx::Imported& imported, int64_t batch, int64_t other) {
  std::map<std::string, int64_t> sizes;
  for (const onnx::Port& input : imported.inputs) {
    for (const std::string& dimension : input.dimensions) {
      if (dimension.find_first_not_of("0123456789") != std::string::npos)
        sizes[dimension] = dimension == "batch" ? batch : other;
    }
  }
  return sizes;
}

ir::Module ready(const ir::Module& module) { return transform::eliminate_dead_code(transform::resolve(module)); }

ir::Module training_step(const ir::Module& module) {
  const ir::OpTable& ops  = ops::table();
  const ir::Module model  = transform::join_slices(transform::lift_constants(module, ops), ops);
  const ir::Module losing = transform::add_loss(model, ops, "sum", "0", -1);
  return ready(transform::add_optimizer(transform::differentiate(losing, ops), ops, "sgd", {}));
}

const std::vector<Split>& splits() {
  static const std::vector<Split> kSplits = {
      {.dp = 2}, {.microbatches = 4}, {.pp = 2, .microbatches = 4}, {.dp = 4, .tp = 2}};
  return kSplits;
}

void expect_same_numbers(const onnx::Imported& imported) {
  const ir::Module sized    = scenario::with_sizes(imported, {{}, sizes_of(imported, 8, 6)});
  const ir::Module original = ready(sized), separate = ready(scenario::with_separate_samples(imported, sized));
  std::mt19937_64 random(7);
  const auto arguments = moderate_arguments(original, random, 2);
  const auto expected  = interpret::evaluate(original, original.functions.size() - 1, arguments);
  for (const Split& split : splits()) {
    SCOPED_TRACE(to_string(split));
    const auto results = run(distribute(separate, split), arguments, expected.size());
    for (size_t i = 0; i < results.size(); ++i) EXPECT_LE(relative_difference(results[i], expected[i]), 1e-4);
  }
}

void expect_same_training(const onnx::Imported& imported) {
  const ir::Module sized    = scenario::with_sizes(imported, {{}, sizes_of(imported, 4, 6)});
  const ir::Module original = training_step(sized);
  const ir::Module separate = training_step(scenario::with_separate_samples(imported, sized));
  std::mt19937_64 random(7);
  const auto arguments = moderate_arguments(original, random, 2);
  const auto expected  = interpret::evaluate(original, original.functions.size() - 1, arguments);
  for (const Split& split : {Split{.dp = 2}, Split{.dp = 2, .zero = 3}}) {
    SCOPED_TRACE(to_string(split) + " training");
    const auto results = run(distribute(separate, split), arguments, expected.size());
    for (size_t i = 0; i < results.size(); ++i) EXPECT_LE(relative_difference(results[i], expected[i]), 1e-4) << i;
  }
}

void expect_cut_at_real_size(const onnx::Imported& imported) {
  const ir::Module sized    = scenario::with_sizes(imported, {{}, sizes_of(imported, 8, 2048)});
  const ir::Module separate = ready(scenario::with_separate_samples(imported, sized));
  for (const Split& split : splits()) {
    SCOPED_TRACE(to_string(split) + " at 8 x 2048");
    EXPECT_NO_THROW(distribute(separate, split));
  }
}

TEST(ExportedModels, ComputeTheSameNumbersHoweverTheyAreDistributed) {
  if (models().empty()) GTEST_SKIP() << "neither shared/onnx/exported nor FOREFLOW_EXPORTED_MODELS holds models";
  for (const std::string& file : models()) {
    SCOPED_TRACE(file);
    try {
      const onnx::Imported imported = onnx::import_model(file, ops::table(), onnx::Numbers::skip);
      expect_same_numbers(imported);
      expect_same_training(imported);
      expect_cut_at_real_size(imported);
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

}  // namespace
}  // namespace foreflow::test::exported_models_test
