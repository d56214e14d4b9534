// Exports of real models, shrunk, keep their meaning in training when their weights, sequences and vocabularies are
// split.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/pieces.h"
#include "foreflow/transform/simplify.h"
#include "foreflow/transform/tensor.h"
#include "support/distribution.h"
#include "support/imports.h"
#include "support/shared.h"
#include "support/slopes.h"

namespace foreflow::test::tensor_parallel_imports_test {
namespace {

using transform::Sharding;
using transform::TensorPlan;

// Everything is computed in double; only the order of sums differs.
constexpr double kTolerance = 1e-9;

// What an export may say that has nothing to split so.
bool is_refusal(const std::string& what) {
  for (const char* reason : {"splits no weight", "splits no activation", "vocabulary parallelism over",
                             "that the plan megatron recognises"}) {
    if (what.find(reason) != std::string::npos) return true;
  }
  return false;
}

// The loss and the gradients of all weights.
ir::Module training(const std::filesystem::path& file, const Imported& subject) {
  const ir::Module gradients =
      transform::differentiate(with_loss(file, subject), ops::table(), transform::Inputs::none, subject.weights);
  return transform::eliminate_dead_code(transform::resolve(gradients));
}

// Of activations and weights.
bool has_products(const ir::Module& module) {
  const ir::Function& function = module.entry();
  return std::any_of(function.ops.begin(), function.ops.end(), [&](const ir::Op& op) {
    const auto inputs = function.inputs(op);
    return (op.def->name == "MatMul" || op.def->name == "Gemm") && ir::index(inputs[1]) < function.parameters.size() &&
           function.parameters[ir::index(inputs[1])] == ir::ParameterRole::weight;
  });
}

class TensorParallelImports : public testing::TestWithParam<std::string> {};

TEST_P(TensorParallelImports, ComputeTheSameNumbers) {
  const auto subject =
      std::find_if(imports().begin(), imports().end(), [](const Imported& one) { return one.name == GetParam(); });
  FOREFLOW_SHARED_OR_SKIP(file, "onnx/models/" + subject->file);
  const ir::Module module = training(file, *subject);
  std::mt19937_64 random(20264);
  const auto arguments = moderate_arguments(module, random, 2, subject->mask);
  const auto expected  = interpret::evaluate(module, module.functions.size() - 1, arguments);
  const TensorPlan automatic{}, megatron{TensorPlan::Kind::megatron};
  int kept = 0;
  for (const Sharding& sharding : {Sharding{.plan = automatic},
                                   {.plan = megatron},
                                   {.plan = automatic, .sequence = true},
                                   {.plan = automatic, .vocabulary = true},
                                   {.plan = megatron, .sequence = true, .vocabulary = true}}) {
    SCOPED_TRACE(std::string(sharding.plan.kind == TensorPlan::Kind::megatron ? "megatron" : "auto") +
                 (sharding.sequence ? " sequence" : "") + (sharding.vocabulary ? " vocabulary" : ""));
    try {
      const std::vector<transform::Distributed> steps{transform::shard(module, ops::table(), 2, sharding)};
      const auto actual = run(steps, arguments, expected.size());
      ASSERT_EQ(actual.size(), expected.size());
      for (size_t i = 0; i < actual.size(); ++i)
        EXPECT_LT(relative_difference(actual[i], expected[i]), kTolerance) << "result " << i;
      ++kept;
    } catch (const Error& error) {
      EXPECT_TRUE(is_refusal(error.what())) << error.what();
    }
  }
  RecordProperty("splits", kept);
  EXPECT_TRUE(kept > 0 || !has_products(module));  // convolutions are not split
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Imported& subject : imports()) all.push_back(subject.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, TensorParallelImports, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace foreflow::test::tensor_parallel_imports_test
