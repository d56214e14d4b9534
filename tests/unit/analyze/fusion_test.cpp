// Which ops are taken for one kernel, and the bytes that saves.
#include "foreflow/analyze/fusion.h"

#include <gtest/gtest.h>

#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"

namespace foreflow::analyze::fusion_test {
namespace {

struct Fused {
  std::vector<std::string> groups;  // "pattern: op op"
  Fusion fusion;
};

// A function of x, y (4, 8), a weight w (8, 8) and a bias b (8), all f32.
Fused fused(const std::string& body) {
  const ir::Module module = ir::parse(
      "func @f(%x: Tensor[Float32, (4, 8)], %y: Tensor[Float32, (4, 8)], weight %w: Tensor[Float32, (8, 8)], weight "
      "%b: Tensor[Float32, (8)]) {\n" +
          body + "}\n",
      "test", ops::table());
  const Subject subject(module);
  Fused made{{}, fusion(subject)};
  for (const FusionRow& row : fusion_rows(subject, made.fusion)) made.groups.push_back(row.pattern + ": " + row.ops);
  return made;
}

using Groups            = std::vector<std::string>;
constexpr double kWhole = 4 * 8 * 4;  // bytes of x

TEST(Fusion, TakesBiasAndActivationIntoTheProduct) {
  const Fused made = fused("%p = MatMul(%x, %w)\n%q = Add(%p, %b)\n%r = Relu(%q)\nreturn %r\n");
  EXPECT_EQ(made.groups, Groups{"MatMul + activation: MatMul Add Relu"});
  EXPECT_EQ(made.fusion.kernels, 3U);
  EXPECT_EQ(made.fusion.fused, 1U);
  EXPECT_EQ(made.fusion.saved.value(), 4 * kWhole);  // %p and %q, each written and read
}

TEST(Fusion, KeepsWhatOthersReadInMemory) {
  const Fused made = fused("%p = Relu(%x)\n%q = Tanh(%p)\nreturn %q, %p\n");
  EXPECT_EQ(made.fusion.saved.value(), kWhole);  // %p is written, but not read again
}

TEST(Fusion, ReadsAnOperandOnce) {
  const Fused made = fused("%p = Relu(%x)\n%q = Mul(%p, %x)\nreturn %q\n");
  EXPECT_EQ(made.fusion.saved.value(), 3 * kWhole);  // %p written and read, %x read twice
}

TEST(Fusion, GoesThroughFreeViews) {
  const Fused made = fused("%p = MatMul(%x, %w)\n%s = Unsqueeze[axes = [0]](%p)\n%q = Relu(%s)\nreturn %q\n");
  EXPECT_EQ(made.groups, Groups{"MatMul + activation: MatMul Relu"});
}

TEST(Fusion, NeverMakesAKernelWaitForItself) {
  // %q needs the product, which needs %p: the three can not be one kernel.
  const Fused made = fused(
      "%p = Relu(%x)\n%m = MatMul(%p, %w)\n%t = Transpose[perm = [1, 0]](%m)\n%u = Transpose[perm = [1, 0]](%t)\n"
      "%q = Add(%p, %u)\nreturn %q\n");
  EXPECT_EQ(made.groups, Groups());
}

TEST(Fusion, LeavesReductionsOutOfProducts) {
  const Fused made = fused("%p = MatMul(%x, %w)\n%m = ReduceMean[axes = [-1]](%p)\n%c = Sub(%p, %m)\nreturn %c\n");
  EXPECT_EQ(made.groups, Groups{"element-wise: ReduceMean Sub"});
}

}  // namespace
}  // namespace foreflow::analyze::fusion_test
