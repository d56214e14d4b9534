#include "lower/backward_values.h"

#include <gtest/gtest.h>

#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"

namespace foreflow::lower::backward_values_test {
namespace {

std::vector<std::string> dependent(const ir::Module& module, size_t function) {
  std::vector<std::string> names;
  const auto found = backward_values(module)[function];
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i]) names.emplace_back(module.functions[function].values[i].name);
  }
  return names;
}

// @twice is called with a value of the forward pass and then with one of the backward pass: it counts as backward.
TEST(BackwardValues, FollowTheGradientOfTheLossIntoCallsAndOut) {
  const ir::Module module = ir::parse(
      "func @twice(%v) {\n  %w = Add(%v, %v)\n  return %w\n}\n"
      "func @again(%u) {\n  %r = Relu(%u)\n  return %r\n}\n"
      "func @f(%x: Tensor[Float32, (4, 8)], %labels: Tensor[Int64, (4,)]) {\n"
      "  %a = @twice(%x)\n  %g = SoftmaxCrossEntropyLossGrad(%a, %labels)\n  %b = @twice(%g)\n"
      "  %c = @again(%x)\n  return %b, %c\n}\n",
      "test", ops::table());
  EXPECT_EQ(dependent(module, 0), (std::vector<std::string>{"v", "w"}));
  EXPECT_TRUE(dependent(module, 1).empty());
  EXPECT_EQ(dependent(module, 2), (std::vector<std::string>{"g", "b"}));
}

}  // namespace
}  // namespace foreflow::lower::backward_values_test
