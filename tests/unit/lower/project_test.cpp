#include "foreflow/lower/project.h"

#include <gtest/gtest.h>

#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"

namespace foreflow::lower {
namespace {

std::map<ir::Device, std::string> projected(std::string_view text) {
  const ir::Module module = ir::parse(text, "p.distir", ops::table());
  std::map<ir::Device, std::string> texts;
  for (const auto& [device, program] :
       project(module, interpret::interpret_mixed(module, module.functions.size() - 1), ops::table())) {
    texts[device] = ir::print(program);
  }
  return texts;
}

// Two stages; the second device gets an activation from the first.
TEST(Projection, KeepsTheOpsThatTouchTheDevice) {
  const auto programs = projected(R"(func @dense(%w, %x) {
  %y = MatMul(%x, %w)
  %a = Relu(%y)
  return %a
}

func @two(%w1: Tensor[Float32, (4, 4), 1], %w2: Tensor[Float32, (4, 4), 2], %x: Tensor[Float32, (2, 4), 1]) {
  %a = @dense(%w1, %x)
  %b = Send(%a, 2)
  %c = @dense(%w2, %b)
  return %c
}
)");
  ASSERT_EQ(programs.size(), 2U);
  EXPECT_EQ(programs.at(ir::Device(1)), R"(func @dense(%w: Tensor[Float32, (4, 4), 1], %x: Tensor[Float32, (2, 4), 1]) {
  %y: Tensor[Float32, (2, 4), 1] = MatMul(%x, %w)
  %a: Tensor[Float32, (2, 4), 1] = Relu(%y)
  return %a
}

func @two(%w1: Tensor[Float32, (4, 4), 1], %x: Tensor[Float32, (2, 4), 1]) {
  %a: Tensor[Float32, (2, 4), 1] = @dense(%w1, %x)
  _: Tensor[Float32, (2, 4), 2] = Send(%a, 2)
  return
}
)");
  EXPECT_EQ(programs.at(ir::Device(2)), R"(func @dense(%w: Tensor[Float32, (4, 4), 2], %x: Tensor[Float32, (2, 4), 2]) {
  %y: Tensor[Float32, (2, 4), 2] = MatMul(%x, %w)
  %a: Tensor[Float32, (2, 4), 2] = Relu(%y)
  return %a
}

func @two(%w2: Tensor[Float32, (4, 4), 2]) {
  %b: Tensor[Float32, (2, 4), 2] = Send(_, 2)
  %c: Tensor[Float32, (2, 4), 2] = @dense(%w2, %b)
  return %c
}
)");
}

TEST(Projection, LeavesOutTheOperandsOfOtherMembers) {
  const auto programs = projected(R"(func @sum(%x: Tensor[Float32, (4,), 1], %y: Tensor[Float32, (4,), 2]) {
  %a, %b = MPIAllreduce(%x, %y)
  %c = Relu(%a)
  return %b
}
)");
  EXPECT_EQ(programs.at(ir::Device(1)), R"(func @sum(%x: Tensor[Float32, (4,), 1]) {
  %a: Tensor[Float32, (4,), 1], _: Tensor[Float32, (4,), 2] = MPIAllreduce(%x, _)
  %c: Tensor[Float32, (4,), 1] = Relu(%a)
  return
}
)");
  EXPECT_EQ(programs.at(ir::Device(2)), R"(func @sum(%y: Tensor[Float32, (4,), 2]) {
  _: Tensor[Float32, (4,), 1], %b: Tensor[Float32, (4,), 2] = MPIAllreduce(_, %y)
  return %b
}
)");
}

TEST(Projection, OfAProgramOnNoDeviceIsTheProgram) {
  const auto programs = projected("func @f(%x: Tensor[Float32, (4,)]) {\n  %y = Relu(%x)\n  return %y\n}\n");
  ASSERT_EQ(programs.size(), 1U);
  EXPECT_EQ(programs.begin()->second,
            "func @f(%x: Tensor[Float32, (4,)]) {\n  %y: Tensor[Float32, (4,)] = Relu(%x)\n  return %y\n}\n");
}

}  // namespace
}  // namespace foreflow::lower
