// What each opset meant, stated in the newest one.
#include <gtest/gtest.h>

#include "foreflow/ir/text.h"
#include "foreflow/onnx/import.h"
#include "unit/onnx/bytes.h"
#include "unit/onnx/fake_ops.h"

namespace foreflow::onnx::normalise_test {
namespace {

using namespace foreflow::test;

// The lines of the program's ops, without the results' names.
std::string ops_of(int64_t opset, const NodeText& node, const std::vector<Wire>& initializers = {}) {
  const Imported imported = import_bytes(
      model({.nodes = {node}, .outputs = {}, .initializers = initializers, .opset = opset}), "m.onnx", fake_ops());
  std::string text = ir::print(imported.module);
  text             = text.substr(text.find("{\n") + 2);
  return text.substr(0, text.find("  return"));
}

TEST(OnnxOpsets, SoftmaxBefore13FlattensAtAxis1) {
  EXPECT_EQ(ops_of(12, {"Softmax", {"x"}, {"y"}}), "  %y = Softmax[axis = 1, flatten = 1](%x)\n");
  EXPECT_EQ(ops_of(11, {"Softmax", {"x"}, {"y"}, {int_attribute("axis", 3)}}),
            "  %y = Softmax[axis = 3, flatten = 1](%x)\n");
  EXPECT_EQ(ops_of(13, {"Softmax", {"x"}, {"y"}}), "  %y = Softmax(%x)\n");
}

TEST(OnnxOpsets, HardmaxAndLogSoftmaxFlattenLikeIt) {
  for (const std::string op : {"Hardmax", "LogSoftmax"}) {
    EXPECT_EQ(ops_of(12, {op, {"x"}, {"y"}}), "  %y = " + op + "[axis = 1, flatten = 1](%x)\n");
    EXPECT_EQ(ops_of(13, {op, {"x"}, {"y"}}), "  %y = " + op + "(%x)\n");
  }
}

TEST(OnnxOpsets, EyeLikeNamesItsType) {
  EXPECT_EQ(ops_of(9, {"EyeLike", {"x"}, {"y"}, {int_attribute("dtype", 12)}}),
            "  %y = EyeLike[dtype = \"UInt32\"](%x)\n");
}

TEST(OnnxOpsets, SlopesOfPReluBroadcastFrom7On) {
  const NodeText node{"PRelu", {"x", "x"}, {"y"}};
  for (const int64_t opset : {6, 7}) EXPECT_EQ(ops_of(opset, node), "  %y = PRelu(%x, %x)\n");
  const auto import = [&](int64_t opset) {
    const std::vector<Wire> images = {port("x", kFloat, {"2", "3", "4"})};
    return import_bytes(model({.nodes = {node}, .inputs = images, .outputs = {}, .opset = opset}), "m.onnx",
                        fake_ops());
  };
  EXPECT_NO_THROW(import(7));
  EXPECT_THROW(import(6), Error);
}

TEST(OnnxOpsets, CastNamesItsType) {
  EXPECT_EQ(ops_of(9, {"Cast", {"x"}, {"y"}, {int_attribute("to", 10)}}), "  %y = Cast[to = \"Float16\"](%x)\n");
  EXPECT_EQ(ops_of(1, {"Cast", {"x"}, {"y"}, {Wire().bytes(1, "to").bytes(4, "INT64").number(20, 3)}}),
            "  %y = Cast[to = \"Int64\"](%x)\n");
}

TEST(OnnxOpsets, ConstantKeepsItsNumbersInValue) {
  EXPECT_EQ(ops_of(13, {"Constant", {}, {"y"}, {int_attribute("value_int", 4)}}),
            "  %y = Constant[value = Int64()[4]]()\n");
  EXPECT_EQ(ops_of(13, {"Constant", {}, {"y"}, {ints_attribute("value_ints", {4, 5})}}),
            "  %y = Constant[value = Int64(2,)[4, 5]]()\n");
  EXPECT_EQ(ops_of(13, {"Constant", {}, {"y"}, {float_attribute("value_float", 0.5f)}}),
            "  %y = Constant[value = Float32()[0.5]]()\n");
  EXPECT_EQ(ops_of(13, {"Constant", {}, {"y"}, {floats_attribute("value_floats", {1, 2})}}),
            "  %y = Constant[value = Float32(2,)[1, 2]]()\n");
  EXPECT_EQ(ops_of(9, {"Constant",
                       {},
                       {"y"},
                       {tensor_attribute("value", tensor("", kBool, {2}).bytes(9, std::string("\0\2", 2)))}}),
            "  %y = Constant[value = Bool(2,)[0, 1]]()\n");
}

TEST(OnnxOpsets, UpsampleIsAResizeOfOldCoordinates) {
  const std::string form =
      "mode = \"nearest\", coordinate_transformation_mode = \"asymmetric\", nearest_mode = \"floor\"";
  const Wire mode = Wire().bytes(1, "mode").bytes(4, "nearest").number(20, 3);
  EXPECT_EQ(ops_of(7, {"Upsample", {"x"}, {"y"}, {mode, floats_attribute("scales", {1, 2})}}),
            "  %v1 = Constant[value = Float32(2,)[1, 2]]()\n  %y = Resize[" + form + "](%x, _, %v1)\n");
  EXPECT_EQ(ops_of(9, {"Upsample", {"x", "s"}, {"y"}, {mode}}, {floats("s", {2}, {1, 2})}),
            "  %s = Constant[value = Float32(2,)[1, 2]]()\n  %y = Resize[" + form + "](%x, _, %s)\n");
  EXPECT_EQ(ops_of(10, {"Resize", {"x", "s"}, {"y"}, {mode}}, {floats("s", {2}, {1, 2})}),
            "  %s = Constant[value = Float32(2,)[1, 2]]()\n  %y = Resize[" + form + "](%x, _, %s)\n");
}

TEST(OnnxOpsets, BroadcastBefore7IsDroppedWhereItIsTheRuleOfToday) {
  const std::vector<Wire> bias = {floats("w", {3}, {1, 2, 3})};
  EXPECT_EQ(ops_of(6, {"Add", {"x", "w"}, {"y"}, {int_attribute("broadcast", 1)}}, bias), "  %y = Add(%x, %w)\n");
  EXPECT_EQ(ops_of(6, {"Add", {"x", "w"}, {"y"}, {int_attribute("broadcast", 1), int_attribute("axis", 1)}}, bias),
            "  %y = Add(%x, %w)\n");
  try {
    ops_of(6, {"Add", {"x", "w"}, {"y"}, {int_attribute("broadcast", 1), int_attribute("axis", 0)}},
           {floats("w", {2}, {1, 2})});
    ADD_FAILURE() << "was accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "m.onnx: node 0: Add broadcasts from axis 0; only trailing dimensions are supported before opset 7; "
                 "export with opset 7 or newer");
  }
}

TEST(OnnxOpsets, BatchNormalizationBefore14TrainsWhenItsStatisticsAreAskedFor) {
  EXPECT_EQ(ops_of(7, {"BatchNormalization", {"x", "x", "x", "x", "x"}, {"y"}, {int_attribute("spatial", 1)}}),
            "  %y = BatchNormalization(%x, %x, %x, %x, %x)\n");
  EXPECT_EQ(ops_of(9, {"BatchNormalization", {"x", "x", "x", "x", "x"}, {"y", "m", "v"}}),
            "  %y, %m, %v = BatchNormalization[training_mode = 1](%x, %x, %x, %x, %x)\n");
  EXPECT_THROW(ops_of(7, {"BatchNormalization", {"x", "x", "x", "x", "x"}, {"y"}, {int_attribute("spatial", 0)}}),
               Error);
}

TEST(OnnxOpsets, OldNamesAndDefaultsBecomeNew) {
  EXPECT_EQ(ops_of(1, {"Concat", {"x", "x"}, {"y"}}), "  %y = Concat[axis = 1](%x, %x)\n");
  EXPECT_EQ(ops_of(1, {"Pad", {"x"}, {"y"}, {ints_attribute("paddings", {1, 1})}}), "  %y = Pad[pads = [1, 1]](%x)\n");
  EXPECT_EQ(ops_of(9, {"Scatter", {"x", "x", "x"}, {"y"}}), "  %y = ScatterElements(%x, %x, %x)\n");
  EXPECT_EQ(ops_of(6, {"Dropout", {"x"}, {"y", ""}, {float_attribute("ratio", 0.5f), int_attribute("is_test", 1)}}),
            "  %y = Dropout[ratio = 0.5](%x)\n");
  EXPECT_EQ(ops_of(1, {"Relu", {"x"}, {"y"}, {ints_attribute("consumed_inputs", {0})}}), "  %y = Relu(%x)\n");
}

}  // namespace
}  // namespace foreflow::onnx::normalise_test
