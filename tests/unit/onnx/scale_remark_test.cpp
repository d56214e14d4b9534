// Calibration over a mask of -inf gives an infinite scale, behind which numbers mean nothing; the user is told.
#include <gtest/gtest.h>

#include <limits>

#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "unit/onnx/bytes.h"

namespace foreflow::onnx::scale_remark_test {
namespace {

using namespace foreflow::test;

std::string remark(const std::vector<float>& scale) {
  const auto dims =
      scale.size() == 1 ? std::vector<int64_t>{} : std::vector<int64_t>{static_cast<int64_t>(scale.size())};
  const std::string bytes =
      model({.nodes        = {{"QuantizeLinear", {"x", "s"}, {"q"}}, {"DequantizeLinear", {"q", "s"}, {"y"}}},
             .initializers = {floats("s", dims, scale)},
             .opset        = 17});
  return scale_remark(import_bytes(bytes, "m.onnx", ops::table()));
}

TEST(ScaleRemark, IsMadeOfScalesThatAreNotFinite) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::string expected =
      "m.onnx: the scale of %q is not finite, so numbers behind it mean nothing, and ONNX Runtime may give others; a "
      "calibration gives such a scale where a mask is -inf: quantise with a finite mask";
  EXPECT_EQ(remark({kInfinity}), expected);
  EXPECT_EQ(remark({1, kInfinity, 1}), expected);
  EXPECT_EQ(remark({0.5F}), "");
  EXPECT_EQ(remark({0.5F, 1, 2}), "");
}

}  // namespace
}  // namespace foreflow::onnx::scale_remark_test
