// One step of each optimizer by hand, and what mixed precision is for.
#include <gtest/gtest.h>

#include "foreflow/base/nth.h"
#include "foreflow/ir/half.h"
#include "unit/ops/apply.h"

namespace foreflow::test::optimizers_test {
namespace {

using ir::Array;
using ir::Attributes;
using ir::DType;

Array floats(const std::vector<float>& values) {
  return Array::of_floats({static_cast<int64_t>(values.size())}, values);
}

Array halves(const std::vector<float>& values) {
  std::vector<uint16_t> bits;
  for (const float value : values) bits.push_back(ir::float_to_half(value));
  return Array::of<uint16_t>(DType::f16, {static_cast<int64_t>(bits.size())}, bits);
}

void expect_near(const Array& array, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(array.size(), static_cast<int64_t>(expected.size()));
  for (int64_t i = 0; i < array.size(); ++i) EXPECT_NEAR(array.at(i), nth(expected, i), tolerance) << i;
}

TEST(Optimizers, WithMomentumKeepAShareOfTheLastStep) {
  const Attributes rates{{"lr", 0.5}, {"momentum", 0.9}};
  const auto first = apply_all("MomentumOptimizer", rates, {floats({1}), floats({2}), floats({0})}, 2);
  expect_near(first[0], {1 - 0.5 * 2}, 1e-6);
  const auto second = apply_all("MomentumOptimizer", rates, {first[0], floats({1}), first[1]}, 2);
  expect_near(second[1], {0.9 * 2 + 1}, 1e-6);
  expect_near(second[0], {0 - 0.5 * 2.8}, 1e-6);
}

TEST(Optimizers, OfNesterovLookOneStepAhead) {
  const Attributes rates{{"lr", 0.5}, {"momentum", 0.9}, {"nesterov", int64_t{1}}};
  const auto results = apply_all("MomentumOptimizer", rates, {floats({1}), floats({2}), floats({4})}, 2);
  expect_near(results[1], {0.9 * 4 + 2}, 1e-6);
  expect_near(results[0], {1 - 0.5 * (2 + 0.9 * 5.6)}, 1e-6);
}

TEST(Optimizers, ThatDecayWeightsDoSoBesideTheStep) {
  const Attributes rates{{"lr", 0.1}, {"weight_decay", 0.5}};
  const auto results = apply_all("AdamOptimizer", rates, {floats({2}), floats({0}), floats({0}), floats({0})}, 3);
  expect_near(results[0], {2 - 0.1 * 0.5 * 2}, 1e-6);
}

// A step of 1e-4 is less than half the distance of Float16 numbers around 1.
TEST(Optimizers, WithMasterWeightsTakeStepsThatAShortWeightCannot) {
  const Attributes rates{{"lr", 1e-4}};
  Array alone = halves({1}), weight = alone, master = floats({1});
  for (int step = 0; step < 100; ++step) {
    alone              = apply("Optimizer", rates, {alone, halves({1})});
    const auto results = apply_all("Optimizer", rates, {weight, halves({1}), master}, 2);
    weight             = results[0];
    master             = results[1];
  }
  EXPECT_EQ(alone.at(0), 1);
  expect_near(master, {0.99}, 1e-5);
  EXPECT_EQ(weight, halves({static_cast<float>(master.at(0))}));
}

TEST(Optimizers, OfMixedPrecisionKeepTheTypesOfTheirStates) {
  const Array one = floats({1}), zero = floats({0});
  const auto adam = apply_all("AdamOptimizer", {}, {halves({1}), halves({1}), zero, zero, one}, 4);
  const std::vector<DType> types{DType::f16, DType::f32, DType::f32, DType::f32};
  for (size_t i = 0; i < types.size(); ++i) EXPECT_EQ(adam[i].dtype(), types[i]) << i;
  EXPECT_THROW(apply("AdamOptimizer", {}, {one, one, one}), Error);
}

// ONNX corrects Adam's rate for the bias of the moments only after the first update.
TEST(Optimizers, OfOnnxAgreeWithOursWhereBothSayTheSame) {
  const Array rate = Array::scalar(0.1F), count = Array::scalar(int64_t{3});
  const Array w = floats({1, -2}), dw = floats({0.5F, 0.25F}), m = floats({0.1F, 0.2F}), v = floats({0.5F, 0.25F});
  const auto ours = apply_all("MomentumOptimizer", {{"lr", 0.1}, {"momentum", 0.9}}, {w, dw, m}, 2);
  const auto onnx = apply_all("Momentum", {{"alpha", 0.9}}, {rate, count, w, dw, m}, 2);
  expect_near(onnx[0], {ours[0].at(0), ours[0].at(1)}, 1e-6);
  expect_near(onnx[1], {ours[1].at(0), ours[1].at(1)}, 1e-6);
  const auto adam = apply_all("AdamOptimizer", {{"lr", 0.1}, {"epsilon", 0.0}, {"step", int64_t{3}}}, {w, dw, m, v}, 3);
  const auto same = apply_all("Adam", {{"epsilon", 0.0}}, {rate, count, w, dw, m, v}, 3);
  for (size_t i = 0; i < 3; ++i) expect_near(same[i], {adam[i].at(0), adam[i].at(1)}, 1e-6);
}

}  // namespace
}  // namespace foreflow::test::optimizers_test
