#include "report/family.h"

#include <gtest/gtest.h>

namespace foreflow::report::family_test {
namespace {

stream::Compute compute(const std::string& name, std::vector<stream::Part> parts) {
  return {name, Seconds(1), Flops(0), std::move(parts)};
}

TEST(Family, OpsAreSortedByWhatTheyDoGradientsWithTheirOps) {
  EXPECT_EQ(family_of_op("MatMul").name, "matrix multiply");
  EXPECT_EQ(family_of_op("MatMulGrad").name, "matrix multiply");
  EXPECT_EQ(family_of_op("LayerNormalizationGrad").name, "normalisation");
  EXPECT_EQ(family_of_op("Softmax").name, "softmax and loss");
  EXPECT_EQ(family_of_op("Gelu").name, "element-wise");
  EXPECT_EQ(family_of_op("ReduceSum").name, "reduction");
}

TEST(Family, ColoursAreFoundByName) {
  EXPECT_EQ(colour_of("matrix multiply"), family_of_op("Gemm").colour);
  EXPECT_EQ(colour_of("element-wise"), family_of_op("Relu").colour);
}

TEST(Phase, IsReadFromTheNameOfACompositeElseFromItsLongestPart) {
  EXPECT_EQ(phase_of(compute("@stage1_forward", {})).name, "forward");
  EXPECT_EQ(phase_of(compute("@stage1_backward", {})).name, "backward");
  EXPECT_EQ(phase_of(compute("AdamStep", {})).name, "optimizer");
  EXPECT_EQ(phase_of(compute("@block", {{"Relu", Seconds(1)}, {"MatMul", Seconds(2)}})).name, "matrix multiply");
  EXPECT_EQ(phase_of(compute("Softmax", {})).name, "softmax and loss");
}

}  // namespace
}  // namespace foreflow::report::family_test
