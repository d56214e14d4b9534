// The text of a program says all there is to say: what is printed and parsed again is the same program.
#include <gtest/gtest.h>

#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "support/random_program.h"

namespace foreflow::ir::distir_text_test {
namespace {

constexpr int kPrograms = 300;

TEST(DistirText, OfAnyProgramParsesToTheSameProgram) {
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE(seed);
    const Module module = test::random_program(seed);
    ASSERT_NO_THROW(verify(module));
    const std::string text = print(module);
    Module parsed;
    ASSERT_NO_THROW(parsed = parse(text, "random", ops::table())) << text;
    ASSERT_EQ(print(parsed), text);
    ASSERT_TRUE(same_program(parsed, module));
  }
}

TEST(DistirText, KeepsRolesAttributesAndTypesAsValues) {
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE(seed);
    const Module module = test::random_program(seed);
    const Module parsed = parse(print(module), "random", ops::table());
    ASSERT_EQ(parsed.functions.size(), module.functions.size());
    for (size_t f = 0; f < module.functions.size(); ++f) {
      const Function &one = module.functions[f], &other = parsed.functions[f];
      EXPECT_EQ(one.parameters, other.parameters);
      EXPECT_EQ(one.operands, other.operands);
      EXPECT_EQ(one.results, other.results);
      for (size_t i = 0; i < one.values.size(); ++i) {
        ASSERT_EQ(one.values[i].annotation == nullptr, other.values[i].annotation == nullptr);
        if (one.values[i].annotation != nullptr) {
          EXPECT_EQ(*one.values[i].annotation, *other.values[i].annotation);
        }
      }
      for (size_t o = 0; o < one.ops.size(); ++o) {
        EXPECT_EQ(one.ops[o].def, other.ops[o].def);
        EXPECT_EQ(one.ops[o].callee, other.ops[o].callee);
        for (const auto& [key, value] : *one.ops[o].attributes) {
          ASSERT_NE(other.ops[o].attributes->find(key), nullptr) << key;
          EXPECT_EQ(to_string(*other.ops[o].attributes->find(key)), to_string(value));
        }
      }
    }
  }
}

TEST(DistirText, OfEveryPrefixOfAProgramIsReadOrRefusedWithoutACrash) {
  const std::string text = print(test::random_program(7));
  for (size_t length = 0; length < text.size(); ++length) {
    try {
      parse(text.substr(0, length), "prefix", ops::table());
    } catch (const Error& error) {
      EXPECT_TRUE(error.where().starts_with("prefix:")) << error.what();
    }
  }
}

}  // namespace
}  // namespace foreflow::ir::distir_text_test
