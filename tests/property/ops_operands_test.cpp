// The most operands that rows of the op table state, against their samples and ONNX's schemas.
#include <algorithm>
#include <string_view>

#include "foreflow/ir/most_operands.h"
#include "property/op_samples.h"

namespace foreflow::test::ops_operands_test {
namespace {

struct Schema {
  std::string_view op, attributes;
  int operands;  // at most; -1: any number
};

#define KNOWN_ATTRIBUTES(op, attributes, operands) Schema{#op, attributes, operands},
constexpr Schema kSchemas[] = {
#include "onnx/known_attributes.def"
};
#undef KNOWN_ATTRIBUTES

class OperandsOfOps : public ::testing::TestWithParam<std::string> {
 protected:
  const ir::OpDef& def = ops::table().get(GetParam(), "test");
};

TEST_P(OperandsOfOps, AreAtLeastThoseOfTheirSamples) {
  for (const ir::OpDef::Sample& sample : def.samples()) {
    const std::vector<ir::ValueId> operands(sample.inputs.size(), static_cast<ir::ValueId>(0));
    EXPECT_EQ(ir::operand_problem(def, operands), "");
  }
}

TEST_P(OperandsOfOps, AreNoMoreThanStated) {
  if (!def.most_operands) return;
  std::vector<ir::ValueId> operands(*def.most_operands + 1, static_cast<ir::ValueId>(0));
  EXPECT_NE(ir::operand_problem(def, operands), "");
  operands.back() = ir::ValueId::none;
  EXPECT_EQ(ir::operand_problem(def, operands), "") << "the last one is left out";
}

TEST_P(OperandsOfOps, AreAtLeastThoseOfOnnx) {
  const auto* schema =
      std::find_if(std::begin(kSchemas), std::end(kSchemas), [&](const Schema& one) { return one.op == def.name; });
  if (schema == std::end(kSchemas) || !def.most_operands) return;
  EXPECT_GE(schema->operands, 0) << "any number";
  EXPECT_GE(static_cast<int>(*def.most_operands), schema->operands);
}

INSTANTIATE_TEST_SUITE_P(Table, OperandsOfOps, ::testing::ValuesIn(op_names()), op_test_name);

}  // namespace
}  // namespace foreflow::test::ops_operands_test
