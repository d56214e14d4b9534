// A residual stream in Float32 computes the same under every distribution.
#include <gtest/gtest.h>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/simplify.h"
#include "support/distribution.h"

namespace foreflow::fp32_residual_test {
namespace {

using test::Split;

constexpr double kTolerance = 4e-3;  // numbers of 11 bits, rounded once more or less often

constexpr const char* kSizes = R"({"layers": 2, "hidden": 8, "heads": 2, "sequence": 4, "vocabulary": 6,
                                   "fp32_residual": true})";

TEST(Fp32Residual, ComputesWhatTheSequentialProgramDoes) {
  for (const char* family : {"gpt", "llama", "moe"}) {
    const ir::Module gradients = transform::differentiate(
        test::family(family, kSizes, 8, workload::Mode::training, ir::DType::f16), ops::table());
    const ir::Module module =
        transform::eliminate_dead_code(transform::resolve(transform::add_optimizer(gradients, ops::table(), "sgd")));
    std::mt19937_64 random(7);
    const auto arguments      = test::random_arguments(module, random, 6);
    const auto expected       = interpret::evaluate(module, module.functions.size() - 1, arguments);
    std::vector<Split> splits = {{.dp = 2}, {.tp = 2}, {.pp = 2, .microbatches = 4}, {.dp = 2, .zero = 3}};
    splits.push_back({.dp = 2, .tp = 2, .pp = 2, .microbatches = 2});
    splits.back().sequence = true;
    for (const Split& split : splits) {
      SCOPED_TRACE(std::string(family) + " " + test::to_string(split));
      const auto results = test::run(test::distribute(module, split), arguments, expected.size());
      ASSERT_EQ(results.size(), expected.size());
      for (size_t i = 0; i < results.size(); ++i)
        EXPECT_LE(test::relative_difference(results[i], expected[i]), kTolerance) << "result " << i;
    }
  }
}

}  // namespace
}  // namespace foreflow::fp32_residual_test
