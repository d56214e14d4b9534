// Programs lowered onto small platforms: memory by hand, prices by formula, communications as written.
#include <gtest/gtest.h>

#include "foreflow/base/nth.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "support/lowering.h"
#include "support/machine.h"

namespace foreflow::lower::lower_test {
namespace {

using collective::Kind;
using test::Level;

constexpr double kUnit  = 1024;  // bytes of a Tensor[Float32, (256,)]
const std::string kHead = "func @f(%x: Tensor[Float32, (256,), 1]) {\n";

platform::Platform machine(int devices) { return test::star(devices, BytesPerSecond(1e9), Seconds(0)); }
stream::Program program(const std::string& text) { return test::lowered(text, machine(4)).program(); }
Level memory(const std::string& text) { return test::memory_of(program(text), 1); }

TEST(Liveness, FreesEachValueOfAChainAfterItsLastUse) {
  // The parameter stays; while an op runs, its operand and its result are there: x, a and b.
  EXPECT_EQ(memory(kHead + "  %a = Relu(%x)\n  %b = Neg(%a)\n  %c = Relu(%b)\n  return %c\n}"),
            (Level{3 * kUnit, 2 * kUnit}));
}

TEST(Liveness, KeepsResultsToTheEnd) {
  EXPECT_EQ(memory(kHead + "  %a = Relu(%x)\n  %b = Neg(%a)\n  %c = Relu(%b)\n  return %a, %c\n}"),
            (Level{4 * kUnit, 3 * kUnit}));
}

TEST(Liveness, FreesAResultThatNobodyUsesAtOnce) {
  EXPECT_EQ(memory(kHead + "  _ = Relu(%x)\n  _ = Neg(%x)\n  return %x\n}").peak, 2 * kUnit);
}

TEST(Liveness, LetsAReshapeShareTheMemoryOfItsOperand) {
  // x, a (with its view) and two sums of four bytes.
  EXPECT_EQ(memory(kHead + "  %a = Relu(%x)\n  %r = Reshape[shape = [16, 16]](%a)\n" +
                   "  %s = ReduceSum[keepdims = 0](%r)\n  %t = ReduceSum[keepdims = 0](%a)\n  return %s, %t\n}"),
            (Level{2 * kUnit + 8, kUnit + 8}));
}

// Products in chunks read the rows of x where they are and write those of y where they belong: x, w and y, each once.
TEST(Liveness, CountsAWholeThatIsReadOrWrittenInPartsOnce) {
  const std::string head = "func @f(%x: Tensor[Float32, (16, 16), 1], weight %w: Tensor[Float32, (16, 32), 1]) {\n";
  const auto chunks      = [](const std::string& placed) {
    return "  %h = Relu(%x)\n  %a, %b = Split[axis = 0, num_outputs = 2" + placed + "](%h)\n" +
           "  %c = MatMul(%a, %w)\n  %d = MatMul(%b, %w)\n  %y = Concat[axis = 0" + placed +
           "](%c, %d)\n  return %y\n}";
  };
  // The parameters x (1) and w (2) stay; h (1) until its last part is read; y (2) in place of its parts.
  EXPECT_EQ(memory(head + chunks(", placed = 1")), (Level{6 * kUnit, 5 * kUnit}));
  // Else h and its parts (2) are there together, and the parts of y beside y (4).
  EXPECT_EQ(memory(head + chunks("")), (Level{7 * kUnit, 5 * kUnit}));
}

// Attention reads and writes heads as strides: what it made is the operand of the next product.
TEST(Liveness, LetsATransposeInPlaceShareTheMemoryOfItsOperand) {
  const auto transposed = [](const std::string& placed) {
    return kHead + "  %a = Reshape[shape = [16, 16]](%x)\n  %b = Relu(%a)\n  %t = Transpose[perm = [1, 0]" + placed +
           "](%b)\n  %c = MatMul(%t, %b)\n  return %c\n}";
  };
  EXPECT_EQ(memory(transposed(", placed = 1")), (Level{3 * kUnit, 2 * kUnit}));  // x, b, c
  EXPECT_EQ(memory(transposed("")), (Level{4 * kUnit, 2 * kUnit}));
}

TEST(Liveness, CountsAViewOfAParameterAsTheParameter) {
  const std::string view = "  %r = Reshape[shape = [16, 16]](%x)\n  %s = ReduceSum[keepdims = 0](%r)\n  return %s\n}";
  EXPECT_EQ(memory(kHead + view), (Level{kUnit + 4, kUnit + 4}));
  const std::string callee = "func @g(%x) {\n" + view + "\n";
  EXPECT_EQ(memory(callee + kHead + "  %s = @g(%x)\n  return %s\n}"), (Level{kUnit + 4, kUnit + 4}));
}

TEST(Liveness, FreesAValueWhereItWasMade) {
  // %mask is on no device, which counts as on D1, and used for the last time on D2.
  const stream::Program masked =
      program("func @f(%x: Tensor[Float32, (256,), 1], %y: Tensor[Float32, (256,), 2]) {\n" +
              std::string("  %ones = ConstantOfShape[shape = [256]]()\n  %mask = Neg(%ones)\n") +
              "  %a = Add(%y, %mask)\n  return %a\n}");
  EXPECT_EQ(test::memory_of(masked, 1).final, kUnit);
  EXPECT_EQ(test::memory_of(masked, 2), (Level{2 * kUnit, 2 * kUnit}));
  // %a is sent off from another stream of its device, where it takes no memory of its own.
  const stream::Program overlapped =
      program(kHead + "  %a = Relu(%x)\n  %s: D1.comm = Send(%a, 1.comm)\n  %r: D2 = Send(%s, 2)\n  return %r\n}");
  EXPECT_EQ(test::memory_of(overlapped, 1).final, kUnit);
}

TEST(Liveness, UpdatesWeightsInPlace) {
  EXPECT_EQ(memory("func @f(weight %w: Tensor[Float32, (256,), 1], %d: Tensor[Float32, (256,), 1]) {\n" +
                   std::string("  %n = SGDOptimizer(%w, %d)\n  return %n\n}")),
            (Level{2 * kUnit, 2 * kUnit}));
}

TEST(Liveness, AddsInPlaceWhereTheFirstOperandIsNeededNoMore) {
  const std::string add = "  %a = Relu(%x)\n  %b = Add(%a, %x)\n";
  EXPECT_EQ(memory(kHead + add + "  return %b\n}"), (Level{2 * kUnit, 2 * kUnit}));
  EXPECT_EQ(memory(kHead + add + "  return %a, %b\n}"), (Level{3 * kUnit, 3 * kUnit}));
  EXPECT_EQ(memory(kHead + "  %b = Add(%x, %x)\n  return %b\n}").peak, 2 * kUnit);  // a parameter stays
}

TEST(Liveness, KeepsOneSumOfMicrobatches) {
  const std::string callee = "func @more(%sum, %x) {\n  %g = Neg(%x)\n  %s = Add(%sum, %g)\n  return %s\n}\n";
  const std::string calls  = "  %s1 = Neg(%x)\n  %s2 = @more(%s1, %x)\n  %s3 = @more(%s2, %x)\n  return %s3\n}";
  EXPECT_EQ(memory(callee + kHead + calls), (Level{3 * kUnit, 2 * kUnit}));
}

TEST(Liveness, SeesThroughCalls) {
  const std::string callee = "func @g(%p) {\n  %a = Relu(%p)\n  %b = Neg(%a)\n  return %b\n}\n";
  const Level called       = memory(callee + kHead + "  %c = @g(%x)\n  %d = @g(%c)\n  return %d\n}");
  const Level inlined =
      memory(kHead + "  %a = Relu(%x)\n  %b = Neg(%a)\n  %c = Relu(%b)\n  %d = Neg(%c)\n  return %d\n}");
  EXPECT_EQ(called, inlined);
  EXPECT_EQ(inlined, (Level{3 * kUnit, 2 * kUnit}));
}

TEST(Liveness, LetsACalleeFreeWhatItsCallerNeedsNoMore) {
  // Inside @g its operand %a is not needed once %b is made, so three buffers (x and two more) are enough.
  const std::string callee = "func @g(%p) {\n  %b = Neg(%p)\n  %c = Relu(%b)\n  return %c\n}\n";
  EXPECT_EQ(memory(callee + kHead + "  %a = Relu(%x)\n  %d = @g(%a)\n  return %d\n}").peak, 3 * kUnit);
  // The caller needs %a again: four.
  EXPECT_EQ(memory(callee + kHead + "  %a = Relu(%x)\n  %d = @g(%a)\n  %e = Neg(%a)\n  return %d\n}").peak, 4 * kUnit);
}

TEST(Prices, AreTheRooflineOfEachOpOnItsDevice) {
  const std::string square = "Tensor[Float32, (512, 512), 1]";
  const auto lowered       = test::lowered(
            "func @f(%x: " + square + ", %w: " + square + ") {\n  %y = MatMul(%x, %w)\n  return %y\n}", machine(1));
  ASSERT_EQ(lowered.program().computes.size(), 1U);
  const double seconds = 2.0 * 512 * 512 * 512 / 1e12;
  EXPECT_DOUBLE_EQ(lowered.program().computes[0].duration.value(), seconds);
  EXPECT_DOUBLE_EQ(lowered.program().computes[0].flops.value(), 2.0 * 512 * 512 * 512);
  ASSERT_EQ(lowered.provenance.size(), 1U);
  EXPECT_DOUBLE_EQ(nth(lowered.provenance[0], cost::Provenance::roofline).value(), seconds);
  EXPECT_EQ(nth(lowered.provenance[0], cost::Provenance::table).value(), 0);
}

TEST(Prices, DifferBetweenKindsOfDevices) {
  std::vector<platform::Device> devices = machine(2).devices();
  devices[1].kind                       = "slow";
  devices[1].peaks["f32"]               = FlopsPerSecond(1e12 / 4);
  const platform::Platform mixed("mixed", devices, machine(2).links(), [] {
    std::vector<platform::Route> routes;
    for (int i = 0; i < 4; ++i) routes.push_back(machine(2).route(i / 2, i % 2));
    return routes;
  }());
  const auto lowered = test::lowered(
      "func @g(%x) {\n  %y = MatMul(%x, %x)\n  return %y\n}\n"
      "func @f(%x: Tensor[Float32, (512, 512), 1], %y: Tensor[Float32, (512, 512), 2]) {\n"
      "  %a = @g(%x)\n  %b = @g(%y)\n  return %a, %b\n}",
      mixed);
  const auto busy = test::busy_seconds(lowered.program());
  EXPECT_DOUBLE_EQ(busy.at("D2"), 4 * busy.at("D1"));
  EXPECT_EQ(lowered.program().computes.size(), 2U);
}

TEST(Prices, OfEqualWorkAreOneEvent) {
  const stream::Program one = program(
      "func @g(%x) {\n  %y = Relu(%x)\n  return %y\n}\n"
      "func @f(%x: Tensor[Float32, (256,), 1], %y: Tensor[Float32, (256,), 2]) {\n"
      "  %a = @g(%x)\n  %b = @g(%y)\n  return %a, %b\n}");
  EXPECT_EQ(one.computes.size(), 1U);
  EXPECT_EQ(one.streams.at(0).items.size(), 1U);
  EXPECT_EQ(one.streams.at(1).items.size(), 1U);
}

TEST(Placement, NeedsADeviceForEachOfTheProgram) {
  try {
    test::lowered("func @f(%x: Tensor[Float32, (256,), 1]) {\n  %y = Send(%x, 3)\n  return %y\n}", machine(2));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "platform wiring: has 2 devices; the program needs 3; add nodes or lower dp, tp or pp");
  }
}

TEST(Placement, PutsTheFirstDeviceOfAProgramOnThePlatformsFirst) {
  const auto places = [](const std::string& device) {
    std::vector<int> places;
    for (const stream::DeviceUse& use :
         program("func @f(%x: Tensor[Float32, (256,), " + device + "]) {\n  %y = Relu(%x)\n  return %y\n}").devices) {
      places.push_back(use.place);
    }
    return places;
  };
  EXPECT_EQ(places("1"), std::vector<int>{0});
  EXPECT_EQ(places("0"), std::vector<int>{0});
  EXPECT_EQ(places("3"), std::vector<int>{2});
}

TEST(Placement, KeepsTheStreamsOfADeviceApart) {
  const stream::Program overlapped =
      program(kHead + "  %y: D1.comm = Send(%x, 1.comm)\n  %z: D2 = Send(%y, 2)\n  %a = Relu(%x)\n  return %z, %a\n}");
  ASSERT_EQ(overlapped.streams.size(), 3U);
  EXPECT_EQ(overlapped.streams[0].name, "D1");
  EXPECT_EQ(overlapped.streams[1].name, "D1.comm");
  EXPECT_EQ(overlapped.streams[2].name, "D2");
  EXPECT_EQ(overlapped.streams[0].device, overlapped.streams[1].device);
  EXPECT_EQ(overlapped.devices.size(), 2U);
}

struct Expected {
  std::string op;  // with its results
  Kind kind;
  double bytes;
  std::vector<std::string> members;
};

// Two operands of 1024 bytes, %x on D1 and %y on D2.
const std::vector<Expected>& communications() {
  static const std::vector<Expected> kAll = {
      {"%a = Send(%x, 2)", Kind::send, kUnit, {"D1", "D2"}},
      {"%a, %b = MPIAllreduce(%y, %x)", Kind::all_reduce, kUnit, {"D2", "D1"}},
      {"%a = MPIReduce([%x, %y], 2)", Kind::reduce, kUnit, {"D2", "D1"}},
      {"%a, %b = MPIAllgather[axis = 0](%x, %y)", Kind::all_gather, 2 * kUnit, {"D1", "D2"}},
      {"%a, %b = MPIReduceScatter[axis = 0](%x, %y)", Kind::reduce_scatter, kUnit, {"D1", "D2"}},
      {"%a, %b = MPIAlltoall[split_axis = 0, concat_axis = 0](%x, %y)", Kind::all_to_all, kUnit, {"D1", "D2"}},
      {"%a, %b = MPIBroadcast[to = [2, 3]](%x)", Kind::broadcast, kUnit, {"D1", "D2", "D3"}},
      {"%a, %b = MPIScatter[to = [1, 2], axis = 0](%x)", Kind::scatter, kUnit, {"D1", "D2"}},
      {"%a = MPIGather[axis = 0]([%x, %y], 2)", Kind::gather, 2 * kUnit, {"D2", "D1"}},
      {"%a, %b = MPIShift(%x, %y)", Kind::shift, kUnit, {"D1", "D2"}},
  };
  return kAll;
}

TEST(Communications, HaveTheKindBytesAndMembersOfTheirOp) {
  for (const Expected& expected : communications()) {
    SCOPED_TRACE(expected.op);
    const stream::Program lowered =
        program("func @f(%x: Tensor[Float32, (256,), 1], %y: Tensor[Float32, (256,), 2]) {\n  " + expected.op +
                "\n  return %a\n}");
    ASSERT_EQ(lowered.communications.size(), 1U);
    EXPECT_EQ(lowered.communications[0].kind, expected.kind);
    EXPECT_EQ(lowered.communications[0].bytes.value(), expected.bytes);
    EXPECT_FALSE(lowered.communications[0].fixed.has_value()) << "the network decides";
    ASSERT_EQ(lowered.instances.size(), 1U);
    std::vector<std::string> members;
    for (const int32_t member : lowered.instances[0].members) {
      members.push_back(nth(lowered.streams, member).name);
    }
    EXPECT_EQ(members, expected.members);
  }
}

}  // namespace
}  // namespace foreflow::lower::lower_test
