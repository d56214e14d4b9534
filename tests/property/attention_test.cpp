// The fused attention ops against each other and against the products and softmax that they fuse.
#include <gtest/gtest.h>

#include <cmath>

#include "property/op_samples.h"
#include "unit/ops/apply.h"

namespace foreflow::test::attention_test {
namespace {

using ir::Array;
using ir::Attributes;
using ir::Dims;
using ir::Type;
using Ints = std::vector<int64_t>;

constexpr int64_t kBatch = 2, kRows = 3, kHeads = 2, kSize = 4, kWidth = kHeads * kSize;

class Attention : public testing::Test {
 protected:
  Array random(const Dims& dims) { return random_array(Type::tensor(ir::DType::f32, dims), rng_); }

 private:
  std::mt19937_64 rng_{7};
};

Array to_heads(const Array& x, int64_t heads) {
  const Array split = x.reshaped({x.dims()[0], x.dims()[1], heads, x.dims()[2] / heads});
  return apply("Transpose", {{"perm", Ints{0, 2, 1, 3}}}, {split});
}

Array from_heads(const Array& y) {
  const Array rows = apply("Transpose", {{"perm", Ints{0, 2, 1, 3}}}, {y});
  return rows.reshaped({rows.dims()[0], rows.dims()[1], rows.dims()[2] * rows.dims()[3]});
}

// softmax(q k' / sqrt(h) + bias) v of [b,s,n*h] by ops that do one thing each.
Array unfused(const Array& q, const Array& k, const Array& v, const Array& bias) {
  const Array keys   = apply("Transpose", {{"perm", Ints{0, 1, 3, 2}}}, {to_heads(k, kHeads)});
  const Array scale  = Array::scalar(1 / std::sqrt(static_cast<float>(q.dims()[2] / kHeads)));
  const Array scores = apply("Mul", {}, {apply("MatMul", {}, {to_heads(q, kHeads), keys}), scale});
  const Array shares = apply("Softmax", {}, {apply("Add", {}, {scores, bias})});
  return from_heads(apply("MatMul", {}, {shares, to_heads(v, kHeads)}));
}

// -10000 where key j comes after query i.
Array causal_bias() {
  std::vector<float> values;
  for (int64_t i = 0; i < kRows; ++i) {
    for (int64_t j = 0; j < kRows; ++j) values.push_back(j > i ? -10000.0F : 0.0F);
  }
  return Array::of_floats({kRows, kRows}, values);
}

TEST_F(Attention, OfManyHeadsIsItsProductsAndSoftmax) {
  const Array q = random({kBatch, kRows, kWidth}), k = random({kBatch, kRows, kWidth}),
              v    = random({kBatch, kRows, kWidth});
  const Array none = Array::scalar(0.0F);
  EXPECT_TRUE(close(apply("MultiHeadAttention", {{"num_heads", kHeads}}, {q, k, v}), unfused(q, k, v, none), 1e-5));
  const Attributes causal{{"num_heads", kHeads}, {"unidirectional", int64_t{1}}};
  EXPECT_TRUE(close(apply("MultiHeadAttention", causal, {q, k, v}), unfused(q, k, v, causal_bias()), 1e-5));
}

TEST_F(Attention, WithItsProjectionIsAttentionOfTheProjections) {
  const Array x = random({kBatch, kRows, kWidth}), w = random({kWidth, 3 * kWidth}), b = random({3 * kWidth});
  const Array qkv                = apply("Add", {}, {apply("MatMul", {}, {x, w}), b});
  const std::vector<Array> parts = apply_all("Split", {{"axis", int64_t{2}}, {"num_outputs", int64_t{3}}}, {qkv}, 3);
  EXPECT_TRUE(close(apply("Attention", {{"num_heads", kHeads}}, {x, w, b}),
                    apply("MultiHeadAttention", {{"num_heads", kHeads}}, parts), 1e-5));
}

TEST_F(Attention, PackedOperandsAreTheSameAsThreeOfThem) {
  const Array packed = random({kBatch, kRows, kHeads, 3, kSize});
  std::vector<Array> parts;
  for (int64_t part = 0; part < 3; ++part) {
    const Array one = apply("Gather", {{"axis", int64_t{3}}}, {packed, Array::scalar(part)});
    parts.push_back(one.reshaped({kBatch, kRows, kWidth}));
  }
  EXPECT_TRUE(close(apply("MultiHeadAttention", {{"num_heads", kHeads}}, {packed}),
                    apply("MultiHeadAttention", {{"num_heads", kHeads}}, parts), 1e-6));
}

// Two samples of 3 and 1 tokens, of which attention without padding sees 4 rows.
TEST_F(Attention, OfTokensWithoutPaddingIsAttentionOfEachSample) {
  const Array q = random({1, 4, kWidth}), k = random({1, 4, kWidth}), v = random({1, 4, kWidth}),
              bias = random({3 * kWidth});
  const auto rows  = [](const Array& x, int64_t first, int64_t last) {
    return apply("Slice", {{"starts", Ints{first}}, {"ends", Ints{last}}, {"axes", Ints{1}}}, {x});
  };
  const auto part = [&](int64_t first, int64_t last) {
    return apply("MultiHeadAttention", {{"num_heads", kHeads}},
                 {rows(q, first, last), rows(k, first, last), rows(v, first, last), bias});
  };
  const auto flat     = [](const Array& x) { return x.reshaped({4, kWidth}); };
  const auto integers = [](const Dims& dims, const std::vector<int32_t>& numbers) {
    return Array::of<int32_t>(ir::DType::i32, dims, numbers);
  };
  const Array packed =
      apply("PackedMultiHeadAttention", {{"num_heads", kHeads}},
            {flat(q), flat(k), flat(v), bias, integers({2, 3}, {0, 1, 2, 3, 4, 5}), integers({3}, {0, 3, 4})});
  EXPECT_TRUE(close(packed, flat(apply("Concat", {{"axis", int64_t{1}}}, {part(0, 3), part(3, 4)})), 1e-6));
}

// Scores of 3 x 3 and 1 x 1 of two heads, two products of 4 numbers and five operations each.
TEST_F(Attention, OfTokensWithoutPaddingCountsThePairsOfEachSample) {
  const ir::OpDef& def = ops::table().get("PackedMultiHeadAttention", "test");
  const Attributes attributes{{"num_heads", kHeads}};
  const Type x = Type::tensor(ir::DType::f32, {4, kWidth}), at = Type::tensor(ir::DType::i32, {2, 3}),
             bounds = Type::tensor(ir::DType::i32, {3});
  const std::vector<Type> types{x, x, x, {}, at, bounds};
  const Array lengths = Array::of<int32_t>(ir::DType::i32, {3}, std::vector<int32_t>{0, 3, 4});
  std::vector<const Array*> known(6);
  const auto flops = [&] {
    const ir::OpCall call{def, attributes, types, known, 1};
    return def.work(call, def.infer(call)).flops.value();
  };
  const double pair = 2 * (2 * 4 + 2 * 4 + 5);
  EXPECT_EQ(flops(), 2 * (2 * 2) * pair);  // lengths are not known: equal ones
  known[5] = &lengths;
  EXPECT_EQ(flops(), (3 * 3 + 1 * 1) * pair);
}

TEST_F(Attention, OfTokensWithoutPaddingGetsThemFromRemovePadding) {
  const Array x = random({2, 3, 4}), counts = Array::of<int32_t>(ir::DType::i32, {2}, std::vector<int32_t>{1, 2});
  const auto removed = apply_all("RemovePadding", {}, {x, counts}, 4);
  EXPECT_EQ(removed[0].dims(), (Dims{3, 4}));
  EXPECT_EQ(removed[1].to_ints(), (Ints{0, 3, 4, 1, 2, 5}));
  EXPECT_EQ(removed[2].to_ints(), (Ints{0, 1, 3}));
  EXPECT_EQ(removed[3].to_ints(), (Ints{2}));
  const Array restored = apply("RestorePadding", {}, {removed[0], removed[1]});
  for (int64_t row = 0; row < 6; ++row) {
    const bool padding = row == 1 || row == 2 || row == 5;
    for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(restored.at(row * 4 + i), padding ? 0 : x.at(row * 4 + i)) << row;
  }
}

TEST_F(Attention, WithSharedKeyHeadsIsAttentionWithThemRepeated) {
  const Array q = random({kBatch, kRows, 2 * kWidth}), k = random({kBatch, kRows, kWidth}),
              v = random({kBatch, kRows, kWidth});
  const Attributes shared{{"num_heads", 2 * kHeads}, {"kv_num_heads", kHeads}};
  const Array lengths = Array::of<int32_t>(ir::DType::i32, {kBatch}, std::vector<int32_t>(kBatch, kRows - 1));
  const Array total   = Array::of<int32_t>(ir::DType::i32, {}, std::vector<int32_t>{kRows});
  const auto repeated = [](const Array& x) {
    const Array heads = to_heads(x, kHeads);
    const Array twice = apply("Gather", {{"axis", int64_t{1}}}, {heads, Array::of_ints({4}, {0, 0, 1, 1})});
    return from_heads(twice);
  };
  const ir::OpDef& def = ops::table().get("GroupQueryAttention", "test");
  const std::vector<const Array*> known{&q, &k, &v, nullptr, nullptr, &lengths, &total};
  std::vector<Type> types;
  for (const Array* array : known) types.push_back(array == nullptr ? Type() : array->type());
  const Array y = def.eval({def, shared, types, known, 1}).at(0);
  const Attributes causal{{"num_heads", 2 * kHeads}, {"unidirectional", int64_t{1}}};
  EXPECT_TRUE(close(y, apply("MultiHeadAttention", causal, {q, repeated(k), repeated(v)}), 1e-5));
}

TEST_F(Attention, ContinuedFromTheCacheIsTheLastRowOfTheWhole) {
  const Array x = random({kBatch, kRows, kWidth}), w = random({kWidth, 3 * kWidth}), b = random({3 * kWidth});
  const Attributes causal{{"num_heads", kHeads}, {"unidirectional", int64_t{1}}};
  const auto rows = [&](const Array& of, int64_t first, int64_t last) {
    return apply("Slice", {{"starts", Ints{first}}, {"ends", Ints{last}}, {"axes", Ints{1}}}, {of});
  };
  const Array whole    = apply("Attention", causal, {x, w, b});
  const auto started   = apply_all("Attention", causal, {rows(x, 0, kRows - 1), w, b}, 2);
  const ir::OpDef& def = ops::table().get("Attention", "test");
  const Array last     = rows(x, kRows - 1, kRows);
  const std::vector<const Array*> known{&last, &w, &b, nullptr, &started[1]};
  std::vector<Type> types;
  for (const Array* array : known) types.push_back(array == nullptr ? Type() : array->type());
  EXPECT_TRUE(close(def.eval({def, causal, types, known, 1}).at(0), rows(whole, kRows - 1, kRows), 1e-5));
}

TEST_F(Attention, TurnsByTheAnglesOfPositionsKeepScoresOfEqualDistances) {
  // Turned by angles t and t + d, the product of two vectors depends on d alone.
  const std::vector<float> cosine{1, std::cos(0.5F), std::cos(1.0F), std::cos(1.5F)},
      sine{0, std::sin(0.5F), std::sin(1.0F), std::sin(1.5F)};
  const Array c = Array::of_floats({4, 1}, cosine), s = Array::of_floats({4, 1}, sine), x = random({1, 2, 2});
  const auto score = [&](int64_t first) {
    const Array turned = apply("RotaryEmbedding", {}, {x, Array::of_ints({1}, {first}), c, s});
    return turned.at(0) * turned.at(2) + turned.at(1) * turned.at(3);
  };
  EXPECT_NEAR(score(0), score(2), 1e-6);
  EXPECT_THROW(apply("RotaryEmbedding", {}, {x, Array::of_ints({1}, {3}), c, s}), Error);
}

TEST_F(Attention, CountsItsProductsAsWork) {
  const ir::OpDef& def = ops::table().get("MultiHeadAttention", "test");
  const Attributes attributes{{"num_heads", int64_t{2}}};
  const Type x = Type::tensor(ir::DType::f32, {3, 5, 8});
  const std::vector<Type> types{x, x, x};
  const std::vector<const Array*> known(3);
  const ir::OpCall call{def, attributes, types, known, 1};
  // Two products of 5 x 4 x 5 for each of 6 heads, and five operations an element of the scores.
  EXPECT_EQ(def.work(call, def.infer(call)).flops.value(), 6 * (2 * 2 * 5 * 4 * 5 + 5 * 5 * 5));
}

}  // namespace
}  // namespace foreflow::test::attention_test
