#include "foreflow/ir/shared_attributes.h"

#include <gtest/gtest.h>

#include "foreflow/ir/builder.h"
#include "foreflow/ops/table.h"

namespace {

using namespace foreflow;

TEST(SharedAttributes, EqualListsAreOne) {
  ir::SharedAttributes share;
  const ir::AttributesRef first = share({{"axis", int64_t{1}}, {"to", std::string("Float16")}});
  EXPECT_EQ(share({{"axis", int64_t{1}}, {"to", std::string("Float16")}}), first);
  EXPECT_EQ(share({}), ir::SharedAttributes()({}));
}

TEST(SharedAttributes, WhateverDiffersStaysApart) {
  ir::SharedAttributes share;
  const std::vector<ir::Attributes> lists = {
      {{"a", int64_t{1}}},
      {{"b", int64_t{1}}},
      {{"a", 1.0}},
      {{"a", std::vector<int64_t>{1}}},
      {{"a", std::vector<int64_t>{1, 2}}},
      {{"a", std::vector<std::string>{"ab", "c"}}},
      {{"a", std::vector<std::string>{"a", "bc"}}},
      {{"a", ir::Device(1)}},
      {{"a", ir::Device(1, "comm")}},
      {{"a", ir::Array::of_ints({1}, {1})}},
      {{"a", ir::Array::of_ints({}, {1})}},
      {{"a", ir::Array::tuple({ir::Array::of_ints({}, {1})})}},
      {{"a", int64_t{1}}, {"b", int64_t{2}}},
      {{"b", int64_t{2}}, {"a", int64_t{1}}},
  };
  for (size_t i = 0; i < lists.size(); ++i) {
    const ir::AttributesRef shared = share(lists[i]);
    EXPECT_EQ(*shared, lists[i]);
    for (size_t j = 0; j < i; ++j) EXPECT_NE(shared, share(lists[j])) << i << " and " << j;
  }
}

TEST(SharedAttributes, LargeArraysAreNotCompared) {
  ir::SharedAttributes share;
  const ir::Attributes large = {{"value", ir::Array(ir::DType::f64, {513})}};
  EXPECT_NE(share(large), share(large));
  const ir::Attributes small = {{"value", ir::Array(ir::DType::f64, {512})}};
  EXPECT_EQ(share(small), share(small));
}

TEST(SharedAttributes, BuildersShareThem) {
  ir::FunctionBuilder builder("f", ops::table());
  const ir::ValueId x = builder.parameter("x", ir::ParameterRole::data, ir::Type::tensor(ir::DType::f32, {4, 4}));
  builder.op("Transpose", {builder.op("Transpose", {x}, {{"perm", std::vector<int64_t>{1, 0}}})},
             {{"perm", std::vector<int64_t>{1, 0}}});
  EXPECT_EQ(builder.function().ops[0].attributes, builder.function().ops[1].attributes);
}

}  // namespace
