#include "foreflow/execute/plan.h"

#include <gmock/gmock.h>

#include "foreflow/base/error.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"

namespace foreflow::execute::plan_test {
namespace {

using testing::ElementsAre;

ir::Module parsed(const std::string& text) { return ir::parse(text, "p.distir", ops::table()); }

std::vector<RankProgram> planned(const std::string& text, const std::vector<ir::Array>& arguments) {
  return plan(fold_streams(parsed(text)), arguments);
}

const ir::Array kFour = ir::Array::of_floats({4}, {1, 2, 3, 4});

TEST(Plan, NumbersProcessesByDeviceAndCommunicationsByTheOrderOfTheProgram) {
  // The call renames devices: inside @pass they are 1 and 2.
  const auto programs = planned(R"(func @sum(%a, %b) {
  %c, %d = MPIAllreduce(%a, %b)
  return %c, %d
}

func @main(%x: Tensor[Float32, (4,), 7], %y: Tensor[Float32, (4,), 3]) {
  %z: D5 = Send(%x, 5)
  %u, %v = @sum(%x, %y)
  %w = MPIReduce([%u, %z], 3)
  return %w, %v
}
)",
                                {kFour, kFour});
  ASSERT_EQ(programs.size(), 3U);  // D3, D5, D7
  EXPECT_EQ(programs[0].device, ir::Device(3));
  EXPECT_THAT(programs[0].parameters, ElementsAre(1));
  EXPECT_THAT(programs[0].results, ElementsAre(0, 1));
  EXPECT_THAT(programs[2].parameters, ElementsAre(0));
  ASSERT_EQ(programs[0].communications.size(), 2U);
  EXPECT_EQ(programs[0].communications[0].number, 1);
  EXPECT_EQ(programs[0].communications[0].op, "MPIAllreduce");
  EXPECT_THAT(programs[0].communications[0].from, ElementsAre(2, 0));
  EXPECT_THAT(programs[0].communications[0].to, ElementsAre(2, 0));
  EXPECT_EQ(programs[0].communications[1].number, 2);
  EXPECT_THAT(programs[0].communications[1].from, ElementsAre(2, 1));
  EXPECT_THAT(programs[0].communications[1].to, ElementsAre(0));
  EXPECT_THAT(programs[0].communications[1].members(), ElementsAre(0, 1, 2));
  EXPECT_EQ(programs[2].communications.size(), 3U);
}

TEST(Plan, TakesTheAnnotatedTypesWhereThereAreNoArguments) {
  const auto programs = planned(R"(func @main(%x: Tensor[Float32, (4,), 1]) {
  %y: D2 = Send(%x, 2)
  return %y
}
)",
                                {});
  ASSERT_EQ(programs.size(), 2U);
  ASSERT_EQ(programs[1].communications.size(), 1U);
  EXPECT_EQ(programs[1].communications[0].operand, kFour.type());
}

TEST(Plan, MakesTheStreamsOfADeviceOneProcess) {
  const auto programs = planned(R"(func @main(%x: Tensor[Float32, (4,), 1]) {
  %a: D1.comm = Send(%x, 1.comm)
  %b: D2 = Send(%a, 2)
  %c: D1 = Relu(%x)
  return %b, %c
}
)",
                                {kFour});
  ASSERT_EQ(programs.size(), 2U);
  ASSERT_EQ(programs[0].communications.size(), 2U);
  EXPECT_THAT(programs[0].communications[0].members(), ElementsAre(0));
  EXPECT_THAT(programs[0].communications[1].members(), ElementsAre(0, 1));
}

TEST(Plan, TakesAValueOnNoDeviceFromTheProcessItself) {
  const auto programs = planned(
      "func @main(%x: Tensor[Float32, (4,)]) {\n  %a: D1 = Send(%x, 1)\n  %b: D2 = Send(%x, 2)\n  return %a, %b\n}\n",
      {kFour});
  ASSERT_EQ(programs.size(), 2U);
  ASSERT_EQ(programs[1].communications.size(), 1U);
  EXPECT_THAT(programs[1].communications[0].from, ElementsAre(kEverywhere));
  EXPECT_THAT(programs[1].communications[0].members(), ElementsAre(1));
}

std::string message_of(const std::string& text, const std::vector<ir::Array>& arguments) {
  try {
    planned(text, arguments);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was wrong";
}

TEST(Plan, RefusesWhatCannotBeSent) {
  EXPECT_EQ(
      message_of(
          "func @main(%x: Tensor[Float32, (4,), 1]) {\n  %i = NonZero(%x)\n  %j: D2 = Send(%i, 2)\n  return %j\n}\n",
          {kFour}),
      "p.distir:3: @main: %j = Send: sends a value of unknown shape, Tensor[Int64, (1, ?), 1]; the shape of a message "
      "must not depend on numbers");
  EXPECT_EQ(message_of("func @main(%x: Tensor[Float32, (4,)], %y: Tensor[Float32, (4,), 2]) {\n  %a, %b = "
                       "MPIAllreduce(%x, %y)\n  return %a\n}\n",
                       {kFour, kFour}),
            "p.distir:2: @main: %a, %b = MPIAllreduce: has an operand on no device; place it, as in %x: "
            "Tensor[Float32, (4,), 1]");
  EXPECT_EQ(message_of("func @main(%x: Tensor[Float32, (4,), 1]) {\n  return %x\n}\n",
                       {ir::Array::of_floats({5}, {1, 2, 3, 4, 5})}),
            "p.distir: @main: %x: is annotated Tensor[Float32, (4,), 1] but is Tensor[Float32, (5,)]");
}

}  // namespace
}  // namespace foreflow::execute::plan_test
