// Programs with many equal texts: what is read once and shared means what it says everywhere.
#include <gtest/gtest.h>

#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"

namespace foreflow::ir::parse_test {
namespace {

Module parsed(const std::string& body) {
  return parse(
      "func @f(%a: Tensor[Float32, (4, 4), 1], %b: Tensor[Float32, (4, 4), 1]) {\n" + body + "  return %a\n}\n", "f",
      ops::table());
}

std::string attributes(const Op& op) {
  std::string text;
  for (const auto& [name, value] : *op.attributes) text += name + "=" + to_string(value) + ";";
  return text;
}

TEST(Parse, SkipsAByteOrderMarkAtTheBeginning) {
  const std::string program = "func @f(%a: Tensor[Float32, (4), 1]) {\n  return %a\n}\n";
  EXPECT_EQ(print(parse("\xEF\xBB\xBF" + program, "f", ops::table())), print(parse(program, "f", ops::table())));
}

TEST(Parse, SharesEqualTextsOfTypesAndAttributes) {
  const Module module = parsed(
      "  %c: D1 = Gather(%a, %b, axis=1)\n  %d: D1 = Gather(%c, %b, axis=1)\n  %e: D2 = Send(%d, 2)\n  %g: D3 = "
      "Send(%e, 3)\n");
  const Function& f = module.entry();
  EXPECT_EQ(f.ops[0].attributes, f.ops[1].attributes);
  EXPECT_EQ(f.values[2].annotation, f.values[3].annotation);
  EXPECT_NE(f.values[4].annotation, f.values[5].annotation);
  EXPECT_EQ(attributes(f.ops[2]), "to=2;");
  EXPECT_EQ(attributes(f.ops[3]), "to=3;");
}

TEST(Parse, ReadsTheSameLiteralsBehindDifferentOpsByTheirOwnNames) {
  const Module module = parsed("  %c = Send(%a, 2)\n  %d = MPIReduce([%a], 2)\n");
  EXPECT_NE(module.entry().ops[0].attributes, module.entry().ops[1].attributes);
}

TEST(Parse, KeepsOperandsThatFollowLiterals) {
  const Module module =
      parsed("  %c = Gather(axis=1, %a, %b)\n  %d = Gather(axis=1, %b, _)\n  %e = Gather(axis=1, %b, _)\n");
  for (const Op& op : module.entry().ops) {
    EXPECT_EQ(op.operand_count, 2U);
    EXPECT_EQ(attributes(op), "axis=1;");
  }
}

TEST(Parse, FindsNamesThatDifferInTheirEndsOnly) {
  std::string body;
  std::string last = "%a";
  for (int i = 0; i < 3000; ++i) {
    const std::string name = "%long_name_" + std::to_string(i);
    body += "  " + name + " = Add(" + last + ", %b)\n";
    last = name;
  }
  const Module module = parsed(body);
  verify(module);
  const Function& f = module.entry();
  for (size_t i = 1; i < f.ops.size(); ++i) EXPECT_EQ(index(f.inputs(f.ops[i])[0]), f.ops[i - 1].first_result);
  EXPECT_EQ(f.values[1500].name, "long_name_1498");
}

TEST(Parse, TakesTheNumberOfAValueForNoName) {
  const Module module = parsed("  %v2 = Add(%a, %b)\n  %v04 = Add(%v2, %b)\n  %v9 = Add(%v04, %b)\n");
  EXPECT_EQ(module.entry().values[2].name, "");
  EXPECT_EQ(module.entry().values[3].name, "v04");
  EXPECT_EQ(module.entry().values[4].name, "v9");
}

}  // namespace
}  // namespace foreflow::ir::parse_test
