// What is one kernel, what a kernel in fp8 costs, and what the host needs to issue them; times by formula.
#include <gtest/gtest.h>

#include "foreflow/base/nth.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "support/lowering.h"

namespace foreflow::lower::kernels_test {
namespace {

constexpr double kPeak = 1e15, kFp8Peak = 2e15, kBandwidth = 1e12;
constexpr double kAnyNumber = 1e30;  // flop/s: element-wise arithmetic is for free
constexpr double kSize      = 1024;  // bytes of a Tensor[Float32, (256,)]

platform::Platform one_device(bool has_fp8 = true) {
  platform::Device device{"gpu0", "test", "node0", Bytes(1e9), BytesPerSecond(kBandwidth), {}, Seconds(0)};
  device.peaks = {{"f32", FlopsPerSecond(kAnyNumber)}, {"bf16", FlopsPerSecond(kPeak)}};
  if (has_fp8) device.peaks.emplace("f8", FlopsPerSecond(kFp8Peak));
  return platform::Platform("one", {device}, {}, {platform::Route{}});
}

stream::Program lowered(const std::string& body, const Options& options) {
  const ir::Module module   = ir::parse(body, "test", ops::table());
  const auto interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  return lower(module, interpretation, test::ideal_roofline(), one_device(), options).program();
}

double seconds(const stream::Program& program) {
  double sum = 0;
  for (const stream::Item& item : program.streams[0].items) sum += nth(program.computes, item.event).duration.value();
  return sum;
}

double moved(const std::string& ops, bool fuses) {
  Options options;
  options.fuses = fuses;
  return seconds(lowered("func @f(%x: Tensor[Float32, (256,), 1], %y: Tensor[Float32, (256,), 1]) {\n" + ops + "}",
                         options)) *
         kBandwidth / kSize;
}

void expect_close(double actual, double expected) { EXPECT_NEAR(actual, expected, 1e-9 * expected); }

TEST(Kernels, AChainOfElementwiseOpsReadsAndWritesOnce) {
  const std::string chain = "  %a = Relu(%x)\n  %b = Neg(%a)\n  %c = Relu(%b)\n  return %c\n";
  expect_close(moved(chain, false), 6);
  expect_close(moved(chain, true), 2);
}

TEST(Kernels, WhatIsReadAgainLaterIsWritten) {
  const std::string text = "  %a = Add(%x, %y)\n  %b = Relu(%a)\n  %c = Neg(%a)\n  return %b, %c\n";
  expect_close(moved(text, false), 3 + 2 + 2);
  // Relu does not read the sum; Neg comes after Relu, whose result it does not read.
  expect_close(moved(text, true), 3 + 1 + 2);
}

TEST(Kernels, AViewBetweenTwoOpsDoesNotSeparateThem) {
  const std::string text = "  %a = Relu(%x)\n  %r = Reshape[shape = [16, 16]](%a)\n  %b = Neg(%r)\n  return %b\n";
  expect_close(moved(text, true), 2);
}

TEST(Kernels, AReductionIsAKernelOfItsOwn) {
  const std::string text = "  %a = Relu(%x)\n  %s = ReduceSum[keepdims = 0](%a)\n  return %s\n";
  expect_close(moved(text, true), moved(text, false));
}

TEST(Kernels, TheHostIssuesEachKernelOnce) {
  const std::string text =
      "func @f(%x: Tensor[Float32, (256,), 1]) {\n  %a = Relu(%x)\n  %b = Neg(%a)\n  %c = Relu(%b)\n  return %c\n}";
  Options options;
  options.host.kernel = Seconds(3e-6);
  options.host.call   = Seconds(50e-6);
  const auto each     = lowered(text, options);
  ASSERT_EQ(each.computes.size(), 1u);
  expect_close(each.computes[0].issue.all.value(), 50e-6 + 3 * 3e-6);
  expect_close(each.computes[0].issue.first.value(), 50e-6 + 3e-6);
  expect_close(each.computes[0].issue.lag.value(), 50e-6 + 3 * 3e-6 + 2 * kSize / kBandwidth);
  options.fuses    = true;
  const auto fused = lowered(text, options);
  expect_close(fused.computes[0].issue.all.value(), 50e-6 + 3e-6);
  expect_close(fused.computes[0].issue.lag.value(), 50e-6 + 3e-6 + 2 * kSize / kBandwidth);
}

// %b and the gradient of the loss depend on the loss, %a and %c do not.
TEST(Kernels, TheHostIssuesTheBackwardPassAtItsOwnCost) {
  const std::string text =
      "func @f(%x: Tensor[Float32, (4, 8), 1], %labels: Tensor[Int64, (4,), 1]) {\n  %a = Relu(%x)\n"
      "  %g = SoftmaxCrossEntropyLossGrad(%a, %labels)\n  %b = Neg(%g)\n  %c = Neg(%a)\n  return %b, %c\n}";
  Options options;
  options.host.kernel   = Seconds(30e-6);
  options.host.gradient = Seconds(4e-6);
  const auto program    = lowered(text, options);
  ASSERT_EQ(program.computes.size(), 1u);
  expect_close(program.computes[0].issue.all.value(), 2 * 30e-6 + 2 * 4e-6);
}

TEST(Kernels, TheHostIssuesSumsOfGradientsAtTheirOwnCost) {
  const std::string text =
      "func @pass(%sum: Tensor[Float32, (4, 8), 1], %x: Tensor[Float32, (4, 8), 1], %labels: Tensor[Int64, (4,), 1]) "
      "{\n  %g = SoftmaxCrossEntropyLossGrad[pipeline_ends = 2](%x, %labels)\n  %s = Add(%sum, %g)\n  return %s\n}\n"
      "func @f(%sum: Tensor[Float32, (4, 8), 1], %x: Tensor[Float32, (4, 8), 1], %labels: Tensor[Int64, (4,), 1]) "
      "{\n  %s = @pass(%sum, %x, %labels)\n  %d = Add(%s, %x)\n  return %d\n}";
  Options options;
  options.host.kernel       = Seconds(30e-6);
  options.host.gradient     = Seconds(4e-6);
  options.host.accumulation = Seconds(1e-6);
  Seconds all{};
  for (const stream::Compute& compute : lowered(text, options).computes) all += compute.issue.all;
  expect_close(all.value(), 4e-6 + 1e-6 + 1e-6);  // in the pass the gradient and its sum; the sum of the caller
}

TEST(Kernels, WithoutCostsOfTheHostNothingIsIssued) {
  const auto program = lowered("func @f(%x: Tensor[Float32, (256,), 1]) {\n  %a = Relu(%x)\n  return %a\n}", {});
  EXPECT_EQ(program.computes[0].issue, stream::Issue());
}

const std::string kProduct =
    "func @f(%x: Tensor[BFloat16, (64, 32), 1], weight %w: Tensor[BFloat16, (32, 16), 1]) {\n"
    "  %y = MatMul[fp8 = 0](%x, %w)\n  return %y\n}";

// x is read in two bytes and written twice in one; the product reads x and w in one byte and writes y in two.
TEST(Fp8, AProductCostsItsConversionAndItsTraffic) {
  const double x = 64 * 32, w = 32 * 16, y = 64 * 16;
  expect_close(seconds(lowered(kProduct, {})), (4 * x + x + w + 2 * y) / kBandwidth);
}

TEST(Fp8, AGradientConvertsTheSlopeAndReadsItTwice) {
  const std::string text =
      "func @f(%x: Tensor[BFloat16, (64, 32), 1], weight %w: Tensor[BFloat16, (32, 16), 1], "
      "%dy: Tensor[BFloat16, (64, 16), 1]) {\n  %dx, %dw = MatMulGrad[fp8 = 2](%x, %w, %dy)\n  return %dx, %dw\n}";
  const double x = 64 * 32, w = 32 * 16, dy = 64 * 16;
  expect_close(seconds(lowered(text, {})), (4 * dy + (x + w + 2 * dy) + 2 * (x + w)) / kBandwidth);
}

TEST(Fp8, LargeProductsRunAtThePeakOfFp8) {
  const std::string text =
      "func @f(%x: Tensor[BFloat16, (8192, 8192), 1], weight %w: Tensor[BFloat16, (8192, 8192), 1]) {\n"
      "  %y = MatMul[fp8 = 0](%x, %w)\n  return %y\n}";
  const double n = 8192;
  expect_close(seconds(lowered(text, {})), 2 * n * n * n / kFp8Peak + 4 * n * n / kBandwidth);
}

TEST(Fp8, ADeviceWithoutItIsRefused) {
  const ir::Module module   = ir::parse(kProduct, "test", ops::table());
  const auto interpretation = interpret::interpret_mixed(module, 0);
  EXPECT_THROW(lower(module, interpretation, test::ideal_roofline(), one_device(false)), Error);
}

}  // namespace
}  // namespace foreflow::lower::kernels_test
