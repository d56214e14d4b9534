#include "execute/values.h"

#include <gmock/gmock.h>

#include "foreflow/execute/arguments.h"

namespace foreflow::execute::values_test {
namespace {

ir::Array example() {
  return ir::Array::tuple({ir::Array::of_floats({2, 3}, {1, 2, 3, 4, 5, 6}),
                           ir::Array::tuple({ir::Array::of_ints({1}, {7}), ir::Array::of_floats({0}, {})})});
}

TEST(Values, ReadBackFromTheirBytes) {
  const ir::Array value = example();
  const ir::Array again = value_from(to_bytes(value));
  EXPECT_EQ(again.type(), value.type());
  EXPECT_EQ(to_bytes(again), to_bytes(value));
}

TEST(Values, AreTheirRunsPutTogether) {
  const ir::Array value = example();
  for (const size_t parts : {1U, 2U, 4U, 7U}) {
    std::vector<ir::Array> runs;
    for (size_t i = 0; i < parts; ++i) {
      runs.push_back(run_of(value, i, parts));
      EXPECT_EQ(runs.back().type(), run_type(value.type(), i, parts));
    }
    EXPECT_EQ(to_bytes(join_runs(value.type(), runs)), to_bytes(value)) << parts;
  }
}

TEST(Values, AreWrittenThroughTheirLeaves) {
  ir::Array value = blank(example().type());
  const auto from = leaves(example());
  const auto to   = mutable_leaves(value);
  ASSERT_EQ(to.size(), from.size());
  const ir::Array source = example();
  for (size_t i = 0; i < to.size(); ++i) std::copy_n(leaves(source)[i].begin(), to[i].size(), to[i].begin());
  EXPECT_EQ(to_bytes(value), to_bytes(source));
}

TEST(Values, PackTextsOfAnyBytes) {
  const std::vector<std::string> texts = {"", std::string("a\0b", 3), "c"};
  EXPECT_EQ(unpack(pack(texts)), texts);
}

TEST(RandomValues, AreTheSameForASeedAndInTheirRange) {
  const ir::Type type = ir::Type::tensor(ir::DType::f32, {1000});
  std::mt19937_64 one(5), two(5);
  const ir::Array a = random_value("w", type, 2, one, "test"), b = random_value("w", type, 2, two, "test");
  EXPECT_EQ(a, b);
  std::mt19937_64 random(5);
  const ir::Array squares = random_value("w.v", type, 2, random, "test");
  const ir::Array tokens  = random_value("t", ir::Type::tensor(ir::DType::i64, {1000}), 3, random, "test");
  double sum              = 0;
  for (int64_t i = 0; i < 1000; ++i) {
    EXPECT_LE(std::abs(a.at(i)), 0.5);
    EXPECT_GE(squares.at(i), 0);
    EXPECT_THAT(tokens.at(i), testing::AllOf(testing::Ge(0), testing::Lt(3)));
    sum += tokens.at(i);
  }
  EXPECT_NEAR(sum / 1000, 1, 0.1);  // the mean of 0, 1 and 2; its standard deviation here is 0.026
}

}  // namespace
}  // namespace foreflow::execute::values_test
