// Tokens, gates and experts' buffers, worked out by hand.
#include <gtest/gtest.h>

#include "unit/ops/apply.h"

namespace foreflow::test::moe_test {
namespace {

using ir::Array;

Array floats(const ir::Dims& dims, const std::vector<float>& values) { return Array::of_floats(dims, values); }

// One group of three tokens of two numbers, two experts: tokens 0, 1 and 2 ask for expert 0, token 1 for expert 1 as
// well.
const Array kTokens = floats({1, 3, 2}, {1, 2, 3, 4, 5, 6});
const Array kGates  = floats({1, 3, 2}, {0.5F, 0, 0.25F, 0.75F, 1, 0});

TEST(TopKMask, MarksTheFirstOfEquals) {
  const Array mask = apply("TopKMask", {{"k", int64_t{2}}}, {floats({2, 3}, {1, 1, 1, 0, 5, 2})});
  EXPECT_EQ(mask.to_ints(), (std::vector<int64_t>{1, 1, 0, 0, 1, 1}));
}

TEST(MoeDispatch, SeatsTokensInTheirOrderUntilTheExpertIsFull) {
  const Array y = apply("MoeDispatch", {{"capacity", int64_t{2}}}, {kTokens, kGates});
  EXPECT_EQ(y, floats({2, 1, 2, 2}, {1, 2, 3, 4, 3, 4, 0, 0}));  // token 2 found no place, expert 1 kept one free
}

TEST(MoeDispatch, WeighsTokensWithTheirGates) {
  const Array y = apply("MoeDispatch", {{"capacity", int64_t{3}}, {"weighted", int64_t{1}}}, {kTokens, kGates});
  EXPECT_EQ(y, floats({2, 1, 3, 2}, {0.5F, 1, 0.75F, 1, 5, 6, 2.25F, 3, 0, 0, 0, 0}));
}

TEST(MoeCombine, AddsUpWhatTheExpertsSayAndNothingForTokensWithoutASeat) {
  const Array y = floats({2, 1, 2, 2}, {8, 8, 4, 4, 2, 6, 9, 9});
  EXPECT_EQ(apply("MoeCombine", {{"weighted", int64_t{1}}}, {y, kGates}),
            floats({1, 3, 2}, {4, 4, 0.25F * 4 + 0.75F * 2, 0.25F * 4 + 0.75F * 6, 0, 0}));
}

TEST(MoeGateGrad, IsTheProductOfATokensRows) {
  const Array y = floats({2, 1, 2, 2}, {8, 8, 4, 4, 2, 6, 9, 9});
  EXPECT_EQ(apply("MoeGateGrad", {}, {y, kGates, kTokens}), floats({1, 3, 2}, {24, 0, 28, 30, 0, 0}));
}

}  // namespace
}  // namespace foreflow::test::moe_test
