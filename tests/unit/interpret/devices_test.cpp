// Locations: where values live and ops run, without a shape.
#include "foreflow/interpret/devices.h"

#include <gtest/gtest.h>

#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"

namespace foreflow::interpret::devices_test {
namespace {

using ir::Device;

struct Placed {
  ir::Module module;
  Locations locations;

  std::set<Device> of(std::string_view name) const {
    const ir::Function& entry = module.entry();
    for (size_t i = 0; i < entry.values.size(); ++i) {
      if (entry.values[i].name == name) return devices_of(locations.entry().values[i]);
    }
    ADD_FAILURE() << "no %" << name;
    return {};
  }
};

Placed placed(std::string_view text) {
  Placed result{ir::parse(text, "p", ops::table()), {}};
  result.locations = locate(result.module, result.module.functions.size() - 1);
  return result;
}

std::string refused(std::string_view text) {
  try {
    placed(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Locations, FollowsDevicesThroughCallsWithoutShapes) {
  const Placed program = placed(R"(func @dense(%w, %x) {
  %y = MatMul(%x, %w)
  return %y
}

func @main(%w1: D1, %w2: D2, %x: D1) {
  %a = @dense(%w1, %x)
  %b = Send(%a, 2)
  %c = @dense(%w2, %b)
  return %c
}
)");
  EXPECT_EQ(program.of("a"), std::set{Device(1)});
  EXPECT_EQ(program.of("b"), std::set{Device(2)});
  EXPECT_EQ(program.of("c"), std::set{Device(2)});
  // Both calls have one instance: they differ in their device only.
  EXPECT_EQ(program.locations.instances.size(), 2U);
  EXPECT_EQ(devices_of(program.locations), (std::set{Device(1), Device(2)}));
}

TEST(Locations, TellsWhichDevicesAnOpRunsOn) {
  const Placed program  = placed(R"(func @f(%x: D1, %y: D2) {
  %a, %b = MPIAllreduce(%x, %y)
  %c = MPIGather([%a, %b], 3)
  %d, %e = MPIBroadcast[to = [4, 5]](%c)
  %k = Constant[value = 1]()
  return %d
}
)");
  const ir::Function& f = program.module.entry();
  const auto runs_on    = [&](size_t op) { return devices_of(f, f.ops[op], program.locations.entry()); };
  EXPECT_EQ(runs_on(0), (std::set{Device(1), Device(2)}));
  EXPECT_EQ(runs_on(1), (std::set{Device(1), Device(2), Device(3)}));
  EXPECT_EQ(runs_on(2), (std::set{Device(3), Device(4), Device(5)}));
  EXPECT_TRUE(runs_on(3).empty());
  EXPECT_EQ(program.of("e"), std::set{Device(5)});
}

TEST(Locations, OfATupleIsThatOfItsElements) {
  const Placed program = placed(R"(func @f(%t: Tuple[Tensor[Float32, (2,), 1], Tensor[Float32, (3,), 1]]) {
  %u = Send(%t, 2)
  %x = Select(%u, 0)
  return %x
}
)");
  EXPECT_EQ(program.of("t"), std::set{Device(1)});
  EXPECT_EQ(program.of("u"), std::set{Device(2)});
  EXPECT_EQ(program.of("x"), std::set{Device(2)});
}

TEST(Locations, RefusesOperandsOnTwoDevices) {
  EXPECT_EQ(refused("func @f(%a: D1, %b: D2) {\n  %c = Add(%a, %b)\n  return %c\n}\n"),
            "p:2: @f: %c = Add: devices: %a lives on D1 and %b on D2; Send(%b, 1) or Send(%a, 2) first would be right");
}

TEST(Locations, RefusesTwoMembersOfAGroupOnOneDevice) {
  EXPECT_EQ(
      refused("func @f(%a: D1, %b: D1) {\n  %c, %d = MPIAllreduce(%a, %b)\n  return %c\n}\n"),
      "p:2: @f: %c, %d = MPIAllreduce: devices: %a and %b are both on D1; each operand on a device of its own would be "
      "right");
}

TEST(Locations, RefusesATupleOfTwoDevicesAsOneOperand) {
  EXPECT_EQ(refused("func @f(%t: Tuple[Tensor[Float32, (2,), 1], Tensor[Float32, (3,), 2]]) {\n  %x = Select(%t, 0)\n  "
                    "return %x\n}\n"),
            "p:2: @f: %x = Select: devices: %t is a tuple on D1 and D2; a tuple on one device would be right");
}

TEST(Locations, RefusesAnAnnotationThatContradicts) {
  EXPECT_EQ(refused("func @f(%a: D1) {\n  %b: D2 = Relu(%a)\n  return %b\n}\n"),
            "p:2: @f: %b = Relu: is annotated as on D2 but lives on D1; a Send would take it there");
}

}  // namespace
}  // namespace foreflow::interpret::devices_test
