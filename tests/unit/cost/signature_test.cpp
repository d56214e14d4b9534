#include "foreflow/cost/signature.h"

#include <gtest/gtest.h>

#include "foreflow/ops/table.h"

namespace foreflow::cost::signature_test {
namespace {

std::string signature_with(const ir::Attributes& attributes) {
  const ir::Type x = ir::Type::tensor(ir::DType::f32, {2, 4});
  const std::vector<ir::Type> inputs{x, x}, outputs{x};
  const std::vector<const ir::Array*> unknown(inputs.size(), nullptr);
  return signature({ops::table().get("Add", "test"), attributes, inputs, unknown, 1}, outputs);
}

// Equal work has one price and is profiled once, wherever it stands in the program.
TEST(Signature, HasNoAttributeThatOnlyMarksWhereAnOpStands) {
  for (const char* mark : {"segment", "recompute", "seed", "pipeline_ends"})
    EXPECT_EQ(signature_with(ir::Attributes{}.set(mark, int64_t{1})), "Add(f32[2x4] f32[2x4]) -> f32[2x4]") << mark;
  EXPECT_EQ(signature_with(ir::Attributes{}.set("axis", int64_t{1})), "Add{axis=1}(f32[2x4] f32[2x4]) -> f32[2x4]");
}

}  // namespace
}  // namespace foreflow::cost::signature_test
