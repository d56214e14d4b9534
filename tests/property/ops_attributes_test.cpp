// The attributes that rows of the op table state, against what their functions read.
#include <algorithm>
#include <set>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"
#include "foreflow/ir/attribute_names.h"
#include "foreflow/ir/call_devices.h"
#include "foreflow/ir/fp8.h"
#include "foreflow/ir/replicas.h"
#include "foreflow/transform/recompute.h"
#include "foreflow/transform/split_data.h"
#include "property/op_samples.h"

namespace foreflow::test::ops_attributes_test {
namespace {

// All attributes of all ops.
std::set<std::string> attributes_of_any_op() {
  std::set<std::string> all;
  for (const ir::OpDef& def : ops::table()) {
    for (const std::string& name : split(*def.attributes, ' ')) all.insert(name);
  }
  return all;
}

class AttributesOfOps : public ::testing::TestWithParam<std::string> {
 protected:
  // Every attribute that the op may not have, with a value of a kind that no op reads, beside those of the sample.
  ir::Attributes with_foreign(const ir::Attributes& own) const {
    static const std::set<std::string> all = attributes_of_any_op();
    ir::Attributes attributes              = own;
    for (const std::string& name : all) {
      if (!ir::may_have(def, name)) attributes.set(name, std::vector<std::string>{"foreign"});
    }
    return attributes;
  }

  const ir::OpDef& def = ops::table().get(GetParam(), "test");
};

TEST_P(AttributesOfOps, HaveThoseOfTheirSamplesAndPositions) {
  for (const ir::OpDef::Sample& sample : def.samples()) {
    for (const auto& [name, value] : sample.attributes) EXPECT_EQ(ir::attribute_problem(def, name), "");
  }
  for (const std::string_view name : def.positional) EXPECT_EQ(ir::attribute_problem(def, name), "");
}

TEST_P(AttributesOfOps, ReadNoOthers) {
  for (const ir::OpDef::Sample& sample : def.samples()) {
    std::mt19937_64 rng(1);
    const std::vector<Operand> operands = random_operands(sample, rng);
    const Application plain(def, sample.attributes, operands, sample.outputs);
    const Application foreign(def, with_foreign(sample.attributes), operands, sample.outputs);
    try {
      const std::vector<ir::Type> types = def.infer(foreign.call());
      EXPECT_EQ(types, def.infer(plain.call()));
      EXPECT_EQ(def.factors(foreign.call()).text, def.factors(plain.call()).text);
      EXPECT_EQ(def.work(foreign.call(), types).flops, def.work(plain.call(), types).flops);
      const std::vector<ir::Array> values = foreign.eval(), expected = plain.eval();
      ASSERT_EQ(values.size(), expected.size());
      for (size_t i = 0; i < values.size(); ++i) EXPECT_TRUE(close(values[i], expected[i], 0));
    } catch (const Error& error) {
      FAIL() << error.what();
    }
  }
}

TEST(AttributeMarks, IncludeThoseOfPasses) {
  const ir::OpDef& relu = ops::table().get("Relu", "test");
  for (const std::string_view mark : {transform::kOfSum, transform::kOfCopies, transform::kRecompute,
                                      transform::kSegment, ir::kFp8, ir::kReplicas, ir::kStream})
    EXPECT_TRUE(ir::may_have(relu, mark)) << mark;
  EXPECT_FALSE(ir::may_have(relu, "axis"));
}

INSTANTIATE_TEST_SUITE_P(Table, AttributesOfOps, ::testing::ValuesIn(op_names()), op_test_name);

}  // namespace
}  // namespace foreflow::test::ops_attributes_test
