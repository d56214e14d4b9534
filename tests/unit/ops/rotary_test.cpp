// Rotary embeddings look up the angles of the positions that they turn, and read no others of their tables.
#include <gtest/gtest.h>

#include "unit/ops/apply.h"

namespace foreflow::test::rotary_test {
namespace {

using ir::Array;
using ir::Attributes;
using ir::Dims;
using ir::DType;
using ir::Type;

constexpr int64_t kPositions = 1000, kPairs = 2;  // of the tables, in Float32
constexpr double kAngles = 2 * 4 * kPairs;        // bytes of one position in both

Type f32(const Dims& dims) { return Type::tensor(DType::f32, dims); }
Type i64(const Dims& dims) { return Type::tensor(DType::i64, dims); }
const Type kTable = f32({kPositions, kPairs});

double read(const std::string& op, const Attributes& attributes, const std::vector<Type>& operands) {
  const ir::OpDef& def = ops::table().get(op, "test");
  std::vector<const Array*> known(operands.size());
  const Array total = Array::scalar(int64_t{9});
  if (op == "GroupQueryAttention") known[6] = &total;
  const ir::OpCall call{def, attributes, operands, known, 1};
  return def.work(call, def.infer(call)).read.value();
}

// Bytes of the tables that are read to turn x[b,3 heads,s,4] by positions of this shape.
double read_of_tables(int64_t batch, int64_t rows, const Dims& positions) {
  const Type x = f32({batch, 3, rows, 4}), ids = i64(positions);
  return read("RotaryEmbedding", {}, {x, ids, kTable, kTable}) - (ir::bytes_of(x) + ir::bytes_of(ids)).value();
}

TEST(RotaryEmbedding, ReadsTheAnglesOfItsPositions) {
  EXPECT_EQ(read_of_tables(1, 1, {1, 1}), kAngles);
  EXPECT_EQ(read_of_tables(5, 1, {5, 1}), 5 * kAngles) << "each sample is at a place of its own";
  EXPECT_EQ(read_of_tables(5, 7, {1, 7}), 7 * kAngles) << "samples share their positions";
  EXPECT_EQ(read_of_tables(5, 7, {1}), 7 * kAngles) << "rows are counted from one position";
}

TEST(RotaryEmbedding, ReadsNoMoreThanItsTables) {
  EXPECT_EQ(read_of_tables(1, kPositions, {1, kPositions}), kPositions * kAngles);
  EXPECT_EQ(read_of_tables(2, kPositions, {2, kPositions}), kPositions * kAngles);
}

// Bytes that are read beyond what is read without a rotation, of 5 samples with `rows` of the 9 keys.
double read_to_rotate(int64_t rows, const Type& positions) {
  const Type q = f32({5, rows, 8}), kv = f32({5, rows, 4}), lengths = Type::tensor(DType::i32, {5});
  const Type cache = rows == 9 ? Type() : f32({5, 1, 8, 4}), total = Type::tensor(DType::i64, {});
  Attributes heads{{"num_heads", 2}, {"kv_num_heads", 1}};
  const std::vector<Type> plain{q, kv, kv, cache, cache, lengths, total};
  std::vector<Type> turned = plain;
  turned.insert(turned.end(), {kTable, kTable, positions});
  const double before = read("GroupQueryAttention", heads, plain);
  EXPECT_EQ(read("GroupQueryAttention", heads, turned) - before, ir::bytes_of(positions).value())
      << "nothing of the tables without do_rotary";
  heads.set("do_rotary", int64_t{1});
  return read("GroupQueryAttention", heads, turned) - before;
}

TEST(GroupQueryAttention, ReadsTheAnglesOfItsPositions) {
  EXPECT_EQ(read_to_rotate(1, {}), 5 * kAngles) << "each sample is behind its own cache";
  EXPECT_EQ(read_to_rotate(9, {}), 9 * kAngles) << "samples of a prompt begin at 0";
  const Type positions = i64({5, 2});
  EXPECT_EQ(read_to_rotate(2, positions), 10 * kAngles + ir::bytes_of(positions).value());
}

}  // namespace
}  // namespace foreflow::test::rotary_test
