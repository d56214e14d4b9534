// What an op does to a value that is spread over several ways, and how values are cut up and put together.
#include "foreflow/transform/layout.h"

#include <gtest/gtest.h>

#include "foreflow/ops/table.h"
#include "foreflow/transform/pieces.h"

namespace foreflow::transform::layout_test {
namespace {

using ir::Array;
using ir::Attributes;
using ir::Dims;
using ir::DType;
using ir::Type;
using Layouts = std::vector<Layout>;
using Ints    = std::vector<int64_t>;

const Layout kWhole = Layout::whole(), kPartial = Layout::partial();

// One application of an op to 32-bit floats.
struct Applied {
  std::string op;
  Attributes attributes;
  std::vector<Dims> operands;
  size_t outputs = 1;

  template <class F>
  auto with(F f) const {
    std::vector<Type> types;
    for (const Dims& dims : operands) types.push_back(Type::tensor(DType::f32, dims));
    const std::vector<const Array*> known(types.size());
    return f(ir::OpCall{ops::table().get(op, "test"), attributes, types, known, outputs});
  }
  Decision decided(const Layouts& arriving, int ways) const {
    return with([&](const ir::OpCall& call) { return decide(call, arriving, ways); });
  }
  Attributes local(const Layouts& arriving, int ways) const {
    return with([&](const ir::OpCall& call) {
      return local_attributes(call, decide(call, arriving, ways), call.def.infer(call), ways);
    });
  }
};

TEST(Decide, LetsSumsThroughWhatIsLinearInOneOperand) {
  const Applied padded{"Pad", {{"pads", Ints{0, 1, 0, 2}}}, {{4, 2}}},
      filled{"Pad", {{"pads", Ints{0, 1, 0, 2}}, {"value", 1.0}}, {{4, 2}}};
  EXPECT_EQ(padded.decided({kPartial}, 2).outputs, Layouts{kPartial});
  EXPECT_EQ(filled.decided({kPartial}, 2).outputs, Layouts{kWhole});
  const Attributes table{{"axis", int64_t{0}}, {"dim", int64_t{3}}};
  const std::vector<Type> types{Type::tensor(DType::i64, {4, 4}), Type::tensor(DType::f32, {4, 4, 2})};
  const std::vector<const Array*> known(types.size());
  const Layouts arriving{kWhole, kPartial};
  const Decision looked_up = decide({ops::table().get("GatherGrad", "test"), table, types, known, 1}, arriving, 2);
  EXPECT_EQ(looked_up.inputs, arriving);
  EXPECT_EQ(looked_up.outputs, Layouts{kPartial});
}

const Applied kSplitQkv{"Split", {{"axis", int64_t{2}}, {"num_outputs", int64_t{3}}}, {{2, 4, 48}}, 3};

TEST(Decide, SplitsAFusedProjectionOnlyInAsManyBlocksAsItHasParts) {
  const Decision refused = kSplitQkv.decided({Layout::split(2)}, 2);
  EXPECT_EQ(refused.inputs, Layouts{kWhole});
  const Decision split = kSplitQkv.decided({Layout::split(2, 3)}, 2);
  EXPECT_EQ(split.inputs, (Layouts{Layout::split(2, 3)}));
  EXPECT_EQ(split.outputs, (Layouts{Layout::split(2), Layout::split(2), Layout::split(2)}));
}

TEST(Decide, ShrinksWrittenSizesWithTheirDimension) {
  const Applied sized{"Split", {{"axis", int64_t{2}}, {"split", Ints{16, 16, 16}}}, {{2, 4, 48}}, 3};
  EXPECT_EQ(sized.local({Layout::split(2, 3)}, 2).get_ints("split"), (Ints{8, 8, 8}));
  const Applied heads{"Reshape", {{"shape", Ints{0, 4, 4, 4}}}, {{8, 4, 16}}};
  EXPECT_EQ(heads.local({Layout::split(2)}, 2).get_ints("shape"), (Ints{0, 4, 2, 4}));
}

struct Viewed {
  Dims from, to;
  Layout arriving;
  int ways;
  Layout asked, gives;
};

TEST(Decide, FollowsASplitThroughReshapes) {
  const std::vector<Viewed> rows = {
      {{8, 4, 16}, {8, 4, 4, 4}, Layout::split(2), 2, Layout::split(2), Layout::split(2)},  // hidden -> heads
      {{8, 4, 4, 4}, {8, 4, 16}, Layout::split(2), 4, Layout::split(2), Layout::split(2)},  // heads -> hidden
      {{8, 4, 12}, {8, 4, 3, 4}, Layout::split(2), 2, kWhole, kWhole},                      // 2 does not divide 3 heads
      {{8, 4, 16}, {32, 16}, Layout::split(0), 8, Layout::split(0), Layout::split(0)},      // batch -> rows
      {{8, 4, 16}, {32, 16}, Layout::split(1), 2, Layout::split(1), Layout::split(0, 8)},   // sequence -> rows
      {{32, 16}, {8, 4, 16}, Layout::split(0, 8), 2, Layout::split(0, 8), Layout::split(1)}  // and back
  };
  for (const Viewed& row : rows) {
    SCOPED_TRACE(ir::to_string(row.from) + " -> " + ir::to_string(row.to) + ", " + to_string(row.arriving));
    const Applied reshape{"Reshape", {{"shape", Ints(row.to.begin(), row.to.end())}}, {row.from}};
    const Decision decision = reshape.decided({row.arriving}, row.ways);
    EXPECT_EQ(decision.inputs, Layouts{row.asked});
    EXPECT_EQ(decision.outputs, Layouts{row.gives});
  }
}

TEST(Decide, LetsSumsPassThroughWhatIsLinear) {
  const Applied add{"Add", {}, {{4, 4}, {4, 4}}};
  EXPECT_EQ(add.decided({kPartial, kPartial}, 2).outputs, Layouts{kPartial});
  EXPECT_EQ(add.decided({kPartial, kWhole}, 2).inputs, (Layouts{kWhole, kWhole}));  // or the whole would count twice
  EXPECT_EQ(Applied({"Transpose", {}, {{4, 8}}}).decided({kPartial}, 2).outputs, Layouts{kPartial});
  EXPECT_EQ(Applied({"Relu", {}, {{4, 4}}}).decided({kPartial}, 2).inputs, Layouts{kWhole});
  EXPECT_EQ(Applied({"Mul", {}, {{4, 4}, {4, 4}}}).decided({kPartial, kPartial}, 2).inputs, (Layouts{kWhole, kWhole}));
}

TEST(Decide, LeavesPartialSumsWhereAContractionIsSplit) {
  const Applied product{"MatMul", {}, {{8, 16}, {16, 4}}};
  EXPECT_EQ(product.decided({kWhole, Layout::split(1)}, 2).outputs, Layouts{Layout::split(1)});
  EXPECT_EQ(product.decided({Layout::split(0), kWhole}, 2).outputs, Layouts{Layout::split(0)});
  const Decision contracted = product.decided({Layout::split(1), kWhole}, 2);
  EXPECT_EQ(contracted.inputs, (Layouts{Layout::split(1), Layout::split(0)}));
  EXPECT_EQ(contracted.outputs, Layouts{kPartial});
  EXPECT_EQ(contracted.once, -1);
}

TEST(Decide, AddsABiasToOneOfThePartialSums) {
  const Applied gemm{"Gemm", {}, {{8, 16}, {16, 4}, {4}}};
  const Decision contracted = gemm.decided({Layout::split(1), Layout::split(0), kWhole}, 2);
  EXPECT_EQ(contracted.outputs, Layouts{kPartial});
  EXPECT_EQ(contracted.once, 2);
  const Decision column = gemm.decided({kWhole, Layout::split(1), kWhole}, 2);
  EXPECT_EQ(column.inputs[2], Layout::split(0));
  EXPECT_EQ(column.once, -1);
}

TEST(Decide, AsksForWholeOperandsWhereTheWaysDoNotDivide) {
  const Applied product{"MatMul", {}, {{8, 16}, {16, 6}}};
  EXPECT_EQ(product.decided({kWhole, Layout::split(1)}, 4).inputs, (Layouts{kWhole, kWhole}));
  const Applied softmax{"Softmax", {{"axis", int64_t{1}}}, {{8, 16}}};
  EXPECT_EQ(softmax.decided({Layout::split(1)}, 2).inputs, Layouts{kWhole});
  EXPECT_EQ(softmax.decided({Layout::split(0)}, 2).outputs, Layouts{Layout::split(0)});
}

TEST(StartsSplit, ByColumnsOfAWeightThatAProductContracts) {
  const auto column = [](const Applied& applied, size_t weight, int ways) {
    return applied.with([&](const ir::OpCall& call) {
      const std::optional<Layout> layout = starts_split(call, weight, ways, 1);
      return layout ? to_string(*layout) : "no";
    });
  };
  EXPECT_EQ(column({"MatMul", {}, {{2, 8, 16}, {16, 4}}}, 1, 4), "split 1");
  EXPECT_EQ(column({"MatMul", {}, {{2, 8, 16}, {16, 4}}}, 1, 3), "no");
  EXPECT_EQ(column({"Gemm", {}, {{8, 16}, {16, 4}, {4}}}, 1, 2), "split 1");
  EXPECT_EQ(column({"Gemm", {{"transB", int64_t{1}}}, {{8, 16}, {4, 16}, {4}}}, 1, 2), "split 0");
  EXPECT_EQ(column({"Gemm", {}, {{8, 16}, {16, 4}, {4}}}, 2, 2), "no");
  EXPECT_EQ(column({"Add", {}, {{8, 16}, {16}}}, 1, 2), "no");
}

TEST(Layout, IsWrittenForPeople) {
  EXPECT_EQ(to_string(kWhole), "whole");
  EXPECT_EQ(to_string(kPartial), "partial");
  EXPECT_EQ(to_string(Layout::split(1)), "split 1");
  EXPECT_EQ(to_string(Layout::split(1, 3)), "split 1 in 3 blocks");
}

Array counting(const Dims& dims) {
  std::vector<float> values;
  for (int64_t i = 0; i < ir::element_count(dims); ++i) values.push_back(static_cast<float>(i));
  return Array::of_floats(dims, values);
}

TEST(Pieces, PutTogetherAgainAreTheWhole) {
  const Array whole = counting({4, 12, 8});
  for (const Layout& layout : {kWhole, Layout::split(0), Layout::split(1), Layout::split(2), Layout::split(1, 3),
                               Layout::split(2, 2), Layout::split(0, 2)}) {
    for (const int ways : {1, 2}) {
      std::vector<Array> parts;
      for (int i = 0; i < ways; ++i) parts.push_back(part_of(whole, layout, ways, i));
      EXPECT_EQ(parts[0].dims(), local_type(whole.type(), layout, ways).dims);
      EXPECT_EQ(whole_of(parts, layout), whole) << to_string(layout) << " over " << ways;
    }
  }
}

TEST(Pieces, InBlocksTakeTheirShareOfEachBlock) {
  // q = 0..3, k = 4..7, v = 8..11; way 1 of two has the second half of each.
  EXPECT_EQ(part_of(counting({12}), Layout::split(0, 3), 2, 1), Array::of_floats({6}, {2, 3, 6, 7, 10, 11}));
}

TEST(Pieces, OfASumAddUpToIt) {
  const Array whole = counting({3});
  EXPECT_EQ(part_of(whole, kPartial, 2, 0), whole);
  EXPECT_EQ(part_of(whole, kPartial, 2, 1), Array::of_floats({3}, {0, 0, 0}));
}

TEST(Pieces, FollowTheListOfSourcesAndComeBackInTheirOrder) {
  const std::vector<Piece> pieces = {{1, Layout::split(0), 2, 0}, {1, Layout::split(0), 2, 1}, {0, kWhole, 1, 0}};
  const std::vector<Array> whole  = {counting({3}), counting({4})};
  const auto parts                = split_arguments(pieces, whole);
  EXPECT_EQ(parts, (std::vector{Array::of_floats({2}, {0, 1}), Array::of_floats({2}, {2, 3}), counting({3})}));
  EXPECT_EQ(merge_results(pieces, parts, 2), whole);
}

}  // namespace
}  // namespace foreflow::transform::layout_test
