// Work of attention in one op against its closed forms (Dao, 2023, FlashAttention-2): products of the pairs that are
// seen, operands and results moved once, one number kept for each row.
#include <gtest/gtest.h>

#include <string>

#include "foreflow/ops/table.h"

namespace foreflow::ops::flash_attention_test {
namespace {

using ir::Dims;
using ir::Type;

constexpr int64_t kBatch = 2, kHeads = 4, kSize = 64;

struct Case {
  int64_t rows, keys, group;
  ir::Attributes attributes;
  double seen;  // pairs of a row and a key, of one head of queries
};

ir::Work work(const std::string& op, const std::vector<Type>& inputs, const ir::Attributes& attributes,
              size_t outputs) {
  const ir::OpDef& def = table().get(op, "test");
  const std::vector<const ir::Array*> known(inputs.size(), nullptr);
  const ir::OpCall call{def, attributes, inputs, known, outputs};
  return def.work(call, def.infer(call));
}

struct Operands {
  Type q, k, o, rows;
};

Operands operands(const Case& one) {
  const Dims q =
      one.group == 1 ? Dims({kBatch, kHeads, one.rows, kSize}) : Dims({kBatch, kHeads, one.group, one.rows, kSize});
  const Dims rows(std::vector<int64_t>(q.begin(), q.end() - 1));
  const Type of_q = Type::tensor(ir::DType::bf16, q);
  return {of_q, Type::tensor(ir::DType::bf16, {kBatch, kHeads, one.keys, kSize}), of_q,
          Type::tensor(ir::DType::f32, rows)};
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const int64_t s : {1, 7, 128, 8192}) {
    const auto n = static_cast<double>(s);
    for (const int64_t group : {1, 8}) {
      all.push_back({s, s, group, {}, n * n});
      all.push_back({s, 3 * s, group, {}, 3 * n * n});
      all.push_back({s, s, group, {{"causal", 1}}, n * (n + 1) / 2});
      // The second of four ranks that share a sequence, with all keys.
      all.push_back({s, 4 * s, group, {{"causal", 1}, {"first", s}}, n * n + n * (n + 1) / 2});
    }
  }
  // Two runs of 4 positions, from 4 and from 12 on: rows see 5, 6, 7, 8, 13, 14, 15 and 16 keys.
  all.push_back({8, 16, 1, {{"causal", 1}, {"first", 4}, {"run", 4}, {"stride", 8}}, 84});
  return all;
}

double heads(const Case& one) { return static_cast<double>(kBatch * kHeads * one.group); }

constexpr double kSoftmax = 5;  // flop a pair

TEST(FlashAttention, ForwardMultipliesTwiceAndMovesOperandsAndResultsOnce) {
  for (const Case& one : cases()) {
    const Operands of   = operands(one);
    const ir::Work done = work("BlockAttention", {of.q, of.k, of.k}, one.attributes, 2);
    const double all    = static_cast<double>(one.rows * one.keys);
    EXPECT_EQ(done.flops.value(), heads(one) * one.seen * (2 * 2 * kSize + kSoftmax));
    EXPECT_EQ((done.flops + done.masked).value(), heads(one) * all * (2 * 2 * kSize + kSoftmax));
    EXPECT_EQ(done.read, bytes_of(of.q) + 2 * bytes_of(of.k));
    EXPECT_EQ(done.written, bytes_of(of.o) + Bytes(heads(one) * static_cast<double>(one.rows) * 4));
    EXPECT_EQ(done.kernels, 1);
  }
}

TEST(FlashAttention, BackwardMultipliesFiveTimesBecauseItComputesScoresAgain) {
  for (const Case& one : cases()) {
    const Operands of = operands(one);
    const ir::Work done =
        work("BlockAttentionGrad", {of.q, of.k, of.k, Type(), of.o, of.rows, of.o}, one.attributes, 3);
    EXPECT_EQ(done.flops.value(), heads(one) * one.seen * (5 * 2 * kSize + kSoftmax));
    EXPECT_EQ(done.read, 3 * bytes_of(of.q) + 2 * bytes_of(of.k) + bytes_of(of.rows));
    EXPECT_EQ(done.written, bytes_of(of.q) + 2 * bytes_of(of.k));
  }
}

TEST(FlashAttention, SaysWhichRowsAreNotAmongTheKeys) {
  const Case beyond{8, 16, 1, {{"causal", 1}, {"first", 12}}, 0};
  const Operands of = operands(beyond);
  try {
    work("BlockAttention", {of.q, of.k, of.k}, beyond.attributes, 2);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(
        std::string(error.what()).find("rows from position 12 on, in runs of 8 every 8, are not all among the 16"),
        std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace foreflow::ops::flash_attention_test
