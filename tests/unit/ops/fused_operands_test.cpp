// Fused operators of ONNX Runtime check their operands against their attributes before they read them.
#include <gmock/gmock.h>

#include <cmath>

#include "foreflow/base/error.h"
#include "unit/ops/apply.h"

namespace foreflow::test::fused_operands_test {
namespace {

using ir::Array;
using ir::Attributes;
using ir::Dims;
using ir::DType;
using ir::Type;
using testing::HasSubstr;

Type f32(const Dims& dims) { return Type::tensor(DType::f32, dims); }
Type bytes(const Dims& dims) { return Type::tensor(DType::u8, dims); }
Type i32(const Dims& dims) { return Type::tensor(DType::i32, dims); }

// What the type rule says about these operands; an unknown type is an operand that is left out.
std::string refusal(const std::string& op, const Attributes& attributes, const std::vector<Type>& operands) {
  const ir::OpDef& def = ops::table().get(op, "test");
  const std::vector<const Array*> known(operands.size());
  try {
    def.infer({def, attributes, operands, known, 1});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(MatMulNBits, ChecksItsOperandsAgainstItsAttributes) {
  const Attributes good{{"K", 8}, {"N", 2}, {"block_size", 4}, {"bits", 4}};
  const Type x = f32({3, 8}), w = bytes({2, 2, 2}), scales = f32({2, 2});
  EXPECT_EQ(refusal("MatMulNBits", good, {x, w, scales, bytes({2, 1})}), "");
  EXPECT_THAT(refusal("MatMulNBits", good, {x, w, f32({3})}), HasSubstr("(3,) was given; (2, 2) would be right"));
  EXPECT_THAT(refusal("MatMulNBits", good, {x, w, scales, bytes({2, 2})}), HasSubstr("(2, 2) was given; (2, 1)"));
  EXPECT_THAT(refusal("MatMulNBits", good, {x, w, scales, {}, {}, f32({1})}), HasSubstr("(1,) was given; (2,)"));
  EXPECT_THAT(refusal("MatMulNBits", good, {x, f32({2, 2, 2}), scales}), HasSubstr("UInt8 would be right"));
  for (const auto& [name, size] : {std::pair{"block_size", 0}, {"K", 0}, {"N", -1}}) {
    Attributes wrong = good;
    wrong.set(name, int64_t{size});
    EXPECT_THAT(refusal("MatMulNBits", wrong, {x, w, scales}), HasSubstr("1 to 2^30 would be right")) << name;
  }
}

// The shares of the keys for queries that know none of them, as onnxruntime 1.32 gives them: the values are the
// identity.
TEST(MultiHeadAttention, ShowsAllKeysToTheLastQueryWhereTheyAreMore) {
  const Array q(DType::f32, {1, 3, 8}), k(DType::f32, {1, 4, 8});
  Array v(DType::f32, {1, 4, 4});
  for (size_t i = 0; i < 4; ++i) v.mutable_data<float>()[5 * i] = 1;
  const Array y = apply("MultiHeadAttention", {{"num_heads", 1}, {"unidirectional", 1}}, {q, k, v});
  const std::vector<double> expected{1, 0, 0, 0, 0.5, 0.5, 0, 0, 0.25, 0.25, 0.25, 0.25};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(y.at(static_cast<int64_t>(i)), expected[i], 1e-6) << i;
}

TEST(GatherBlockQuantized, ChecksItsBlocks) {
  const Type table = bytes({4, 2}), at = Type::tensor(DType::i64, {3});
  EXPECT_EQ(refusal("GatherBlockQuantized", {{"block_size", 2}}, {table, at, f32({4, 2})}), "");
  EXPECT_THAT(refusal("GatherBlockQuantized", {{"block_size", 0}}, {table, at, f32({4, 2})}),
              HasSubstr("block_size is 0; 1 to 2^30 would be right"));
  EXPECT_THAT(refusal("GatherBlockQuantized", {{"block_size", 2}}, {table, at, f32({4, 1})}),
              HasSubstr("(4, 1) was given; (4, 2) would be right"));
  EXPECT_THAT(refusal("GatherBlockQuantized", {{"block_size", 2}}, {table, at, f32({4, 2}), bytes({4, 3})}),
              HasSubstr("(4, 3) was given; (4, 1) would be right"));
}

TEST(MoE, ChecksTheWeightsOfItsExperts) {
  const Type x = f32({4, 6}), router = f32({4, 2}), first = f32({2, 3, 6}), second = f32({2, 6, 3});
  EXPECT_EQ(refusal("MoE", {}, {x, router, first, f32({2, 3}), second, f32({2, 6})}), "");
  EXPECT_THAT(refusal("MoE", {}, {x, f32({3, 2}), first, {}, second}), HasSubstr("one row for each of the 4 tokens"));
  EXPECT_THAT(refusal("MoE", {}, {x, router, f32({3, 3, 6}), {}, second}), HasSubstr("with 2 experts that take 6"));
  EXPECT_THAT(refusal("MoE", {}, {x, router, first, f32({2, 4}), second}), HasSubstr("(2, 4); (2, 3) would be right"));
  EXPECT_THAT(refusal("MoE", {}, {x, router, first, {}, f32({2, 5, 3})}), HasSubstr("makes 5 numbers"));
  EXPECT_THAT(refusal("MoE", {}, {x, router, first, {}, second, {}, f32({2, 4, 6})}), HasSubstr("third product"));
  EXPECT_THAT(refusal("MoE", {}, {f32({}), router, first, {}, second}), HasSubstr("[..,h]"));
}

// 0.5 * 2 * (1 + tanh(sqrt(2 / pi) * (2 + 0.044715 * 8))) = 1.954598, where x * Phi(x) would be 1.954500.
TEST(MoE, ComputesGeluByTanhAsOnnxRuntimeDoes) {
  const auto one = [](const Dims& dims, float value) { return Array::of_floats(dims, {value}); };
  const Array y  = apply("MoE", {{"activation_type", std::string("gelu")}},
                         {one({1, 1}, 1), one({1, 1}, 0), one({1, 1, 1}, 1), one({1, 1}, 1), one({1, 1, 1}, 1)});
  EXPECT_NEAR(y.at(0), 1.954598, 1e-6);
}

// One token of 1, gate 3 and linear number 5 limited to 4: 3 * sigmoid(2 * 3) * (4 + 1).
TEST(MoE, GatesWithinOneProduct) {
  const auto floats = [](const Dims& dims, const std::vector<float>& values) { return Array::of_floats(dims, values); };
  const Attributes attributes{{"activation_type", std::string("swiglu")},
                              {"swiglu_fusion", 1},
                              {"swiglu_limit", 4.0},
                              {"activation_alpha", 2.0},
                              {"activation_beta", 1.0}};
  const Array zeros(DType::f32, {1, 2});
  const Array y =
      apply("MoE", attributes,
            {floats({1, 1}, {1}), floats({1, 1}, {0}), floats({1, 2, 1}, {3, 5}), zeros, floats({1, 1, 1}, {1})});
  EXPECT_NEAR(y.at(0), 3 / (1 + std::exp(-6.0)) * 5, 1e-5);
}

// Numbers 9 and 6 of 4 bits are 1 and -2 from the middle 8: (1 * 3 - 2 * 1) * 0.5 = 0.5, then 12 - 8 = 4 of it and -8.
TEST(QMoE, ComputesWithTheUnpackedWeights) {
  const auto floats = [](const Dims& dims, const std::vector<float>& values) { return Array::of_floats(dims, values); };
  const auto packed = [](const Dims& dims, const std::vector<uint8_t>& values) {
    return Array::of<uint8_t>(DType::u8, dims, values);
  };
  const std::vector<Array> all{floats({1, 2}, {3, 1}), floats({1, 1}, {0}),        packed({1, 1, 1}, {0x69}),
                               floats({1, 1}, {0.5F}), packed({1, 2, 1}, {12, 0}), floats({1, 2}, {1, 1})};
  const std::vector<const Array*> known{&all[0], &all[1], &all[2], &all[3], nullptr, &all[4], &all[5]};
  std::vector<Type> types;
  for (const Array* array : known) types.push_back(array == nullptr ? Type() : array->type());
  const ir::OpDef& def = ops::table().get("QMoE", "test");
  const Attributes identity{{"activation_type", std::string("identity")}};
  def.infer({def, identity, types, known, 1});
  EXPECT_EQ(def.eval({def, identity, types, known, 1})[0], floats({1, 2}, {2, -4}));
  types[2] = bytes({1, 1, 2});
  EXPECT_THAT(refusal("QMoE", identity, types), HasSubstr("(1, 1, 2); (1, ?, 1) would be right"));
}

TEST(AttentionOfOnnxRuntime, RefusesMasksAndOperandsThatDoNotFit) {
  const Attributes two{{"num_heads", 2}};
  const Type x = f32({2, 3, 4}), w = f32({4, 12}), bias = f32({12});
  EXPECT_EQ(refusal("Attention", two, {x, w, bias, i32({2, 3})}), "");
  EXPECT_THAT(refusal("Attention", two, {x, w, bias, i32({})}), HasSubstr("the mask is (); [b], [b,j]"));
  EXPECT_THAT(refusal("Attention", two, {x, f32({5, 12}), bias}), HasSubstr("(5, 12); (4, 12) would be right"));
  EXPECT_THAT(refusal("Attention", two, {x, w, f32({0})}), HasSubstr("the bias is (0,); (12,) would be right"));
  EXPECT_THAT(refusal("Attention", two, {x, w, bias, {}, f32({2, 2, 1, 5, 2})}), HasSubstr("past is"));
  EXPECT_THAT(refusal("MultiHeadAttention", two, {x, x, x, {}, i32({})}), HasSubstr("the mask is ()"));
  EXPECT_THAT(refusal("MultiHeadAttention", two, {x, f32({2, 3, 6}), x}), HasSubstr("key is (2, 3, 6); (2, 3, 4)"));
}

TEST(AttentionOfOnnxRuntime, RefusesAMaskForOtherKeysWhereItIsEvaluated) {
  const auto zeros = [](const Dims& dims) { return Array(DType::f32, dims); };
  try {
    apply("Attention", {{"num_heads", 2}}, {zeros({2, 3, 4}), zeros({4, 12}), zeros({12}), Array(DType::i32, {2, 2})});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("(2, 2) cannot be evaluated; (2,), (2, 3) or (2, 3, 3) would be right"));
  }
}

TEST(GroupQueryAttention, RefusesCachesAndAnglesThatDoNotFit) {
  const Attributes heads{{"num_heads", 4}, {"kv_num_heads", 2}};
  Attributes rotary = heads;
  rotary.set("do_rotary", int64_t{1});
  const Type q = f32({2, 1, 8}), kv = f32({2, 1, 4}), cache = f32({2, 2, 5, 2}), one = i32({}), lengths = i32({2});
  EXPECT_EQ(refusal("GroupQueryAttention", heads, {q, kv, kv, cache, cache, lengths, one}), "");
  EXPECT_THAT(refusal("GroupQueryAttention", heads, {q, kv, kv, f32({2, 1, 5, 2}), cache, lengths, one}),
              HasSubstr("a cache is (2, 1, 5, 2); (2, 2, ?, 2) would be right"));
  EXPECT_THAT(refusal("GroupQueryAttention", heads, {q, kv, kv, cache, cache, i32({3}), one}), HasSubstr("seqlens_k"));
  EXPECT_THAT(refusal("GroupQueryAttention", rotary, {q, kv, kv, cache, cache, lengths, one, f32({9, 4}), f32({9, 4})}),
              HasSubstr("cos_cache is (9, 4)"));
}

// A score of 2 with a softcap of 1 is tanh(2); a sink of 0 adds exp(0) to the sum of the softmax.
TEST(GroupQueryAttention, HeedsSoftcapAndSmoothSoftmax) {
  const Attributes attributes{
      {"num_heads", 1}, {"kv_num_heads", 1}, {"scale", 1.0}, {"softcap", 1.0}, {"smooth_softmax", 1}};
  const auto floats = [](float value) { return Array::of_floats({1, 1, 1}, {value}); };
  const auto ints   = [](const Dims& dims, int32_t value) {
    return Array::of<int32_t>(DType::i32, dims, std::vector{value});
  };
  const ir::OpDef& def = ops::table().get("GroupQueryAttention", "test");
  const std::vector<Array> all{floats(1), floats(2), floats(3), ints({1}, 0), ints({}, 1)};
  const std::vector<const Array*> known{&all[0], &all[1], &all[2], nullptr, nullptr, &all[3], &all[4]};
  std::vector<Type> types;
  for (const Array* array : known) types.push_back(array == nullptr ? Type() : array->type());
  const double weight = std::exp(std::tanh(2.0));
  EXPECT_NEAR(def.eval({def, attributes, types, known, 1})[0].at(0), 3 * weight / (weight + 1), 1e-6);
}

TEST(PackedMultiHeadAttention, ChecksItsOperands) {
  const Attributes two{{"num_heads", 2}};
  const Type x = f32({5, 4}), at = i32({2, 3}), bounds = i32({3});
  const auto refused = [&](const std::vector<Type>& operands) {
    return refusal("PackedMultiHeadAttention", two, operands);
  };
  EXPECT_EQ(refused({x, x, f32({5, 6}), f32({14}), at, bounds, f32({1, 2, 3, 3})}), "");
  EXPECT_EQ(refused({f32({5, 2, 3, 4}), {}, {}, {}, at, bounds}), "");
  EXPECT_THAT(refused({x, f32({4, 4}), x, {}, at, bounds}), HasSubstr("key is (4, 4); (5, 4) would be right"));
  EXPECT_THAT(refused({x, {}, {}, {}, at, bounds}), HasSubstr("needs a key and a value"));
  EXPECT_THAT(refused({f32({5, 2, 2, 4}), {}, {}, {}, at, bounds}), HasSubstr("(5, 2, 3, 4) would be right"));
  EXPECT_THAT(refused({f32({5, 2, 3, 4}), x, x, {}, at, bounds}), HasSubstr("holds them already"));
  EXPECT_THAT(refused({x, x, x, {}, at, i32({2})}), HasSubstr("(2,); (3,) would be right"));
  EXPECT_THAT(refused({x, x, x, {}, at, bounds, f32({1, 2, 5, 5})}), HasSubstr("(?, ?, 3, 3) would be right"));
}

TEST(PackedMultiHeadAttention, RefusesLengthsThatAreNotThoseOfItsTokens) {
  const Array x(DType::f32, {3, 2}), at(DType::i32, {2, 2});
  for (const auto& bounds : {std::vector<int32_t>{0, 3, 3}, {0, 2, 1}, {0, 1, 2}, {1, 2, 3}}) {
    try {
      apply("PackedMultiHeadAttention", {{"num_heads", 1}},
            {x, x, x, Array(DType::f32, {6}), at, Array::of<int32_t>(DType::i32, {3}, bounds)});
      FAIL();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("should rise from 0 to the 3 tokens in steps of at most 2"));
    }
  }
}

TEST(FusedConv, ClipsAsItsParametersSay) {
  const Attributes clip{{"activation", std::string("Clip")}, {"activation_params", std::vector<double>{-0.5, 2}}};
  const Array x = Array::of_floats({1, 1, 3}, {-1, 1, 4}), w = Array::of_floats({1, 1, 1}, {1});
  EXPECT_EQ(apply("FusedConv", clip, {x, w}), Array::of_floats({1, 1, 3}, {-0.5F, 1, 2}));
}

TEST(FusedConv, RefusesAnActivationThatIsNotElementwise) {
  for (const std::string name : {"Shape", "ArgMax", "Nothing"})
    EXPECT_THAT(refusal("FusedConv", {{"activation", name}}, {f32({1, 1, 3}), f32({1, 1, 1})}),
                HasSubstr("such as Relu would be right"))
        << name;
}

TEST(DequantizeLinear, GivesTheTypeThatIsStated) {
  const Array x = Array::of<uint8_t>(DType::u8, {2}, std::vector<uint8_t>{2, 4});
  const Array y = apply("DequantizeLinear", {{"output_dtype", std::string("Float16")}}, {x, Array::scalar(0.5F)});
  EXPECT_EQ(y.dtype(), DType::f16);
  EXPECT_EQ(y.at(1), 2);
}

}  // namespace
}  // namespace foreflow::test::fused_operands_test
