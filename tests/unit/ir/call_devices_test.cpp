#include "foreflow/ir/call_devices.h"

#include <gtest/gtest.h>

#include "foreflow/interpret/concrete.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/text.h"
#include "foreflow/lower/project.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/simplify.h"

namespace {

using namespace foreflow;

const std::string kReplica = "func @replica(%x) {\n  %y: D2 = Send(%x, 2)\n  %z = Relu(%y)\n  return %z\n}\n\n";
const std::string kHead    = "func @main(%a: Tensor[Float32, (4,), 1], %b: Tensor[Float32, (4,), 3]) {\n";
const std::string kCalls =
    "  %c = @replica[devices = [1, 2]](%a)\n  %d = @replica[devices = [3, 4]](%b)\n  return %c, %d\n}\n";

ir::Module parsed(const std::string& body) { return ir::parse(kReplica + kHead + body, "m", ops::table()); }

std::string refused(const std::string& body) {
  try {
    interpret::interpret_mixed(parsed(body), 1);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CallDevices, PrintAsTheyAreParsed) { EXPECT_EQ(ir::print(parsed(kCalls)), kReplica + kHead + kCalls); }

TEST(CallDevices, SayWhereAFunctionThatNamesDevicesRuns) {
  const ir::Module module   = parsed(kCalls);
  const auto interpretation = interpret::interpret_mixed(module, 1);
  EXPECT_EQ(interpretation.instances.size(), 2U);  // both calls are one
  EXPECT_EQ(ir::to_string(interpretation.entry().values[2].type), "Tensor[Float32, (4,), 2]");
  EXPECT_EQ(ir::to_string(interpretation.entry().values[3].type), "Tensor[Float32, (4,), 4]");
}

TEST(CallDevices, AreWrittenOutByInlining) {
  EXPECT_EQ(ir::print(transform::inline_calls(parsed(kCalls))),
            kHead +
                "  %y: D2 = Send(%a, 2)\n  %c = Relu(%y)\n  %y_2: D4 = Send(%b, 4)\n  %d = Relu(%y_2)\n"
                "  return %c, %d\n}\n");
}

TEST(CallDevices, AreRealInProjections) {
  const ir::Module module = parsed(kCalls);
  const auto programs     = lower::project(module, interpret::interpret_mixed(module, 1), ops::table());
  ASSERT_EQ(programs.size(), 4U);
  EXPECT_EQ(ir::print(programs.at(ir::Device(4))),
            "func @replica() {\n  %y: Tensor[Float32, (4,), 4] = Send[from = [3]](_, 4)\n"
            "  %z: Tensor[Float32, (4,), 4] = Relu(%y)\n  return %z\n}\n\n"
            "func @main() {\n  %d: Tensor[Float32, (4,), 4] = @replica()\n  return %d\n}\n");
}

TEST(CallDevices, StayWhenDeadCodeGoes) {
  EXPECT_EQ(ir::print(transform::eliminate_dead_code(parsed(kCalls))), kReplica + kHead + kCalls);
}

TEST(CallDevices, AreRefusedWhereTheyDoNotFit) {
  EXPECT_EQ(refused("  %c = @replica[devices = [1, 1]](%a)\n  return %c\n}\n"),
            "m:8:8: @replica states a device twice");
  EXPECT_EQ(refused("  %c = @replica[axis = 1](%a)\n  return %c\n}\n"),
            "m:8:8: @replica is a call, which states nothing but devices = [...]; remove axis");
  EXPECT_EQ(refused("  %c = @replica[devices = 1](%a)\n  return %c\n}\n"),
            "m:8:8: @replica states as its devices 1; write a list of their numbers, as in [3, 4]");
  EXPECT_EQ(refused("  %c = @replica[devices = [1]](%a)\n  return %c\n}\n"),
            "m:8: @main: %c = @replica: states no device for D2 of the function; state one for each from D1 on");
  EXPECT_EQ(refused("  %c = @replica[devices = [1, 2]](%b)\n  return %c\n}\n"),
            "m:8: @main: %c = @replica: has an argument on D3, which is none of the devices that it states");
}

}  // namespace
