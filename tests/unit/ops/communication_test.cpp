// Communication ops: where their results are, what numbers they have, and what they refuse.
#include <gtest/gtest.h>

#include "unit/ops/apply.h"

namespace foreflow::test::communication_test {
namespace {

using ir::Array;
using ir::Attributes;
using ir::Device;
using ir::Dims;
using ir::Type;
using Ints = std::vector<int64_t>;

Array ints(const Dims& dims, const Ints& values) { return Array::of_ints(dims, values); }

Type tensor(const Dims& dims, const Device& device) { return Type::tensor(ir::DType::f32, dims, device); }

std::vector<std::string> inferred(const std::string& op, const Attributes& attributes, const std::vector<Type>& inputs,
                                  size_t outputs) {
  const ir::OpDef& def = ops::table().get(op, "test");
  const std::vector<const Array*> known(inputs.size());
  std::vector<std::string> types;
  for (const Type& type : def.infer({def, attributes, inputs, known, outputs})) types.push_back(to_string(type));
  return types;
}

std::string refused(const std::string& op, const Attributes& attributes, const std::vector<Type>& inputs,
                    size_t outputs) {
  try {
    inferred(op, attributes, inputs, outputs);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// Numbers without places.
std::vector<Array> sent(const std::string& op, const Attributes& attributes, const std::vector<Array>& operands,
                        size_t outputs) {
  std::vector<Type> types;
  std::vector<const Array*> known;
  for (size_t i = 0; i < operands.size(); ++i) {
    types.push_back(operands[i].type(Device(static_cast<int32_t>(i + 1))));
    known.push_back(&operands[i]);
  }
  const ir::OpDef& def = ops::table().get(op, "test");
  return def.eval({def, attributes, types, known, outputs});
}

using Texts = std::vector<std::string>;

const Type kOn1 = tensor({4, 2}, Device(1)), kOn2 = tensor({4, 2}, Device(2));

TEST(Communication, PlacesItsResults) {
  EXPECT_EQ(inferred("Send", {{"to", 2}}, {kOn1}, 1), Texts{"Tensor[Float32, (4, 2), 2]"});
  EXPECT_EQ(inferred("Send", {{"to", Device(1, "comm")}}, {kOn1}, 1), Texts{"Tensor[Float32, (4, 2), 1.comm]"});
  EXPECT_EQ(inferred("MPIAllreduce", {}, {kOn2, kOn1}, 2),
            (Texts{"Tensor[Float32, (4, 2), 2]", "Tensor[Float32, (4, 2), 1]"}));
  EXPECT_EQ(inferred("MPIReduce", {{"to", 3}}, {kOn1, kOn2}, 1), Texts{"Tensor[Float32, (4, 2), 3]"});
  EXPECT_EQ(inferred("MPIAllgather", {{"axis", 1}}, {kOn1, kOn2}, 2),
            (Texts{"Tensor[Float32, (4, 4), 1]", "Tensor[Float32, (4, 4), 2]"}));
  EXPECT_EQ(inferred("MPIReduceScatter", {}, {kOn1, kOn2}, 2),
            (Texts{"Tensor[Float32, (2, 2), 1]", "Tensor[Float32, (2, 2), 2]"}));
  EXPECT_EQ(inferred("MPIAlltoall", {{"concat_axis", 1}}, {kOn1, kOn2}, 2),
            (Texts{"Tensor[Float32, (2, 4), 1]", "Tensor[Float32, (2, 4), 2]"}));
  EXPECT_EQ(inferred("MPIBroadcast", {{"to", Ints{3, 4}}}, {kOn1}, 2),
            (Texts{"Tensor[Float32, (4, 2), 3]", "Tensor[Float32, (4, 2), 4]"}));
  EXPECT_EQ(inferred("MPIScatter", {{"to", Ints{3, 4}}}, {kOn1}, 2),
            (Texts{"Tensor[Float32, (2, 2), 3]", "Tensor[Float32, (2, 2), 4]"}));
  EXPECT_EQ(inferred("MPIGather", {{"to", 1}}, {kOn1, kOn2}, 1), Texts{"Tensor[Float32, (8, 2), 1]"});
}

TEST(Communication, KnowsThePlaceOfWhatItKnowsNothingElseAbout) {
  EXPECT_EQ(inferred("Send", {{"to", 2}}, {Type::on(Device(1))}, 1), Texts{"D2"});
  EXPECT_EQ(inferred("MPIAllreduce", {}, {Type::on(Device(1)), kOn2}, 2),
            (Texts{"Tensor[Float32, (4, 2), 1]", "Tensor[Float32, (4, 2), 2]"}));
}

TEST(Communication, TakesStreamsOfOneDeviceAsDifferentPlaces) {
  const Type stream = tensor({4, 2}, Device(1, "comm"));
  EXPECT_EQ(inferred("MPIAllreduce", {}, {kOn1, stream}, 2),
            (Texts{"Tensor[Float32, (4, 2), 1]", "Tensor[Float32, (4, 2), 1.comm]"}));
}

TEST(Communication, RefusesTwoOperandsOnOneDevice) {
  EXPECT_EQ(refused("MPIAllreduce", {}, {kOn1, kOn2, kOn1}, 3),
            "MPIAllreduce: operands 0 and 2 are both on D1; each should be on a device of its own");
}

TEST(Communication, RefusesOperandsOfDifferentTypes) {
  EXPECT_EQ(refused("MPIReduce", {{"to", 1}}, {kOn1, tensor({4, 3}, Device(2))}, 1),
            "MPIReduce: operand 1 is Tensor[Float32, (4, 3)]; it should be Tensor[Float32, (4, 2)] like operand 0");
}

TEST(Communication, RefusesPartsThatAreNotEqual) {
  EXPECT_EQ(refused("MPIScatter", {{"to", Ints{1, 2, 3}}}, {kOn1}, 3),
            "MPIScatter: dimension 0 of (4, 2) should be a multiple of 3, the number of devices");
}

TEST(Communication, RefusesDestinationsThatMakeNoSense) {
  EXPECT_EQ(refused("MPIBroadcast", {{"to", Ints{2, 2}}}, {kOn1}, 2),
            "MPIBroadcast: D2 stands twice in `to`; each device should stand there once");
  EXPECT_EQ(refused("MPIBroadcast", {{"to", Ints{2, 3}}}, {kOn1}, 1),
            "MPIBroadcast: gives one result on each of 2 devices, not 1");
}

TEST(Communication, GivesTheNumbersThatEveryDeviceExpects) {
  const Array a = ints({2, 2}, {1, 2, 3, 4}), b = ints({2, 2}, {10, 20, 30, 40});
  const Array sum = ints({2, 2}, {11, 22, 33, 44});
  EXPECT_EQ(sent("MPIAllreduce", {}, {a, b}, 2), (std::vector{sum, sum}));
  EXPECT_EQ(sent("MPIReduce", {{"to", 1}}, {a, b}, 1), std::vector{sum});
  EXPECT_EQ(sent("MPIReduceScatter", {{"axis", 1}}, {a, b}, 2),
            (std::vector{ints({2, 1}, {11, 33}), ints({2, 1}, {22, 44})}));
  const Array rows = ints({4, 2}, {1, 2, 3, 4, 10, 20, 30, 40}), columns = ints({2, 4}, {1, 2, 10, 20, 3, 4, 30, 40});
  EXPECT_EQ(sent("MPIAllgather", {{"axis", 0}}, {a, b}, 2), (std::vector{rows, rows}));
  EXPECT_EQ(sent("MPIGather", {{"to", 1}, {"axis", 1}}, {a, b}, 1), std::vector{columns});
  // Device i gets row i of both, side by side.
  EXPECT_EQ(sent("MPIAlltoall", {{"split_axis", 0}, {"concat_axis", 1}}, {a, b}, 2),
            (std::vector{ints({1, 4}, {1, 2, 10, 20}), ints({1, 4}, {3, 4, 30, 40})}));
  EXPECT_EQ(sent("MPIScatter", {{"to", Ints{1, 2}}, {"axis", 1}}, {a}, 2),
            (std::vector{ints({2, 1}, {1, 3}), ints({2, 1}, {2, 4})}));
  EXPECT_EQ(sent("MPIBroadcast", {{"to", Ints{1, 2}}}, {a}, 2), (std::vector{a, a}));
}

TEST(Communication, AddsTuplesElementByElement) {
  const Array pair = Array::tuple({ints({1}, {1}), ints({2}, {2, 3})});
  EXPECT_EQ(sent("MPIReduce", {{"to", 1}}, {pair, pair}, 1),
            std::vector{Array::tuple({ints({1}, {2}), ints({2}, {4, 6})})});
}

}  // namespace
}  // namespace foreflow::test::communication_test
