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
  for (const char* mark : {"segment", "recompute", "seed", "pipeline_ends", "count"})
    EXPECT_EQ(signature_with(ir::Attributes{}.set(mark, int64_t{1})), "Add(f32[2x4] f32[2x4]) -> f32[2x4]") << mark;
  EXPECT_EQ(signature_with(ir::Attributes{}.set("axis", int64_t{1})), "Add{axis=1}(f32[2x4] f32[2x4]) -> f32[2x4]");
}

// A batch of twice as many targets divides the mean of each microbatch by twice as much.
TEST(Signature, IsReadFromFilesThatHoldMoreOfIt) {
  const std::pair<const char*, const char*> signatures[] = {
      {"SoftmaxCrossEntropyLoss{count=1048576}(bf16[8x4] i64[8]) -> f32[]",
       "SoftmaxCrossEntropyLoss(bf16[8x4] i64[8]) -> f32[]"},
      {"CrossEntropyOfTermsGrad{count=8 all=6 first=2}(f32[4x2]) -> f32[4x2]",
       "CrossEntropyOfTermsGrad{all=6 first=2}(f32[4x2]) -> f32[4x2]"},
      {"SquaredNorm{copies=[1, 8]}(f32[4] f32[2]) -> f32[]", "SquaredNorm(f32[4] f32[2]) -> f32[]"},
      {"Conv{pads=[0, 1] note=\"} count=2\" count=3}(f32[4]) -> f32[4]",
       "Conv{pads=[0, 1] note=\"} count=2\"}(f32[4]) -> f32[4]"},
      {"MPIAllreduce 4096 B over 2", "MPIAllreduce 4096 B over 2"},
      {"a", "a"},
      {"Add{count=1", "Add{count=1"}};
  for (const auto& [written, current] : signatures) {
    EXPECT_EQ(current_signature(written), current);
    EXPECT_EQ(current_signature(current), current);
  }
}

}  // namespace
}  // namespace foreflow::cost::signature_test
