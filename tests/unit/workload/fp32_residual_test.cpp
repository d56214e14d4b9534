// The residual stream in Float32 while layers compute in a narrow type.
#include <gmock/gmock.h>

#include "foreflow/base/nth.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/simplify.h"
#include "support/distribution.h"

namespace foreflow::workload::fp32_residual_test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::string sizes(std::string_view more) {
  return R"({"layers": 3, "hidden": 8, "heads": 2, "sequence": 4, "vocabulary": 16)" + std::string(more) + "}";
}

// How many ops `name` have a first operand of shape [2,4,8] and type `dtype`.
int64_t count(const ir::Module& module, std::string_view name, ir::DType dtype) {
  const ir::Function& entry = module.entry();
  const auto interpreted    = interpret::interpret_mixed(module, module.functions.size() - 1);
  const auto& values        = interpreted.entry().values;
  return std::count_if(entry.ops.begin(), entry.ops.end(), [&](const ir::Op& op) {
    if (op.def->name != name) return false;
    const ir::Type& type = nth(values, entry.inputs(op)[0]).type;
    return type.dims == ir::Dims{2, 4, 8} && type.dtype == dtype;
  });
}

struct Family {
  std::string_view name, norm;
};

TEST(Fp32Residual, IsWhatLayersAddToAndNormsConvert) {
  for (const Family& family : {Family{"gpt", "LayerNormalization"}, Family{"llama", "SimplifiedLayerNormalization"},
                               Family{"moe", "SimplifiedLayerNormalization"}}) {
    SCOPED_TRACE(family.name);
    for (const bool wide : {false, true}) {
      const ir::Module module  = transform::resolve(test::family(
           family.name, sizes(wide ? R"(, "fp32_residual": true)" : ""), 2, Mode::training, ir::DType::bf16));
      constexpr int64_t kAdded = 6, kNorms = 7;  // two a layer, and the last norm
      EXPECT_EQ(count(module, "Add", ir::DType::f32), wide ? kAdded : 0);
      EXPECT_EQ(count(module, family.norm, ir::DType::bf16), kNorms);
      // The sum is converted for each norm; the embeddings and what the layers add are converted to be added.
      EXPECT_EQ(count(module, "Cast", ir::DType::f32), wide ? kNorms : 0);
      EXPECT_EQ(count(module, "Cast", ir::DType::bf16), wide ? kAdded + 1 : 0);
    }
  }
}

TEST(Fp32Residual, IsRefusedWhereItMeansNothing) {
  const auto built = [](ir::DType dtype, Mode mode) {
    return test::family("llama", sizes(R"(, "fp32_residual": true, "phase": "prefill")"), 2, mode, dtype);
  };
  EXPECT_THAT(
      [&] { built(ir::DType::f32, Mode::training); },
      ThrowsMessage<Error>(HasSubstr(".fp32_residual: changes nothing where \"dtype\" is no narrower than f32")));
  EXPECT_THAT([&] { built(ir::DType::bf16, Mode::inference); },
              ThrowsMessage<Error>(HasSubstr(".fp32_residual: is for training only")));
}

}  // namespace
}  // namespace foreflow::workload::fp32_residual_test
