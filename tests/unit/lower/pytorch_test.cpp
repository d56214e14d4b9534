// Scripts as text: what needs no Python to be seen.
#include "foreflow/lower/pytorch.h"

#include <gtest/gtest.h>

#include "foreflow/ir/builder.h"
#include "foreflow/ir/text.h"
#include "foreflow/lower/project.h"
#include "foreflow/ops/table.h"

namespace foreflow::lower::pytorch_test {
namespace {

std::string script(std::string_view text) {
  const ir::Module module = ir::parse(text, "p.distir", ops::table());
  const auto types        = interpret::interpret_mixed(module, module.functions.size() - 1);
  return pytorch_script(project(module, types, ops::table(), Grain::gpu), "test");
}

// The lines of the program itself.
std::string program_of(const std::string& text) {
  const size_t first = text.find("# --- program"), start = text.find("\n", first);
  return text.substr(start, text.find("# --- end of program") - start);
}

std::string refused(std::string_view text) {
  try {
    script(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(PyTorchScript, WritesAFunctionOnceForRanksThatShareIt) {
  const std::string text = script(R"(func @dense(%w, %x) {
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
  EXPECT_EQ(program_of(text), R"(

def dense(w, x):
    y = torch.matmul(x, w)  # MatMul(f32[2x4] f32[4x4]) -> f32[2x4]
    a = torch.relu(y)  # Relu(f32[2x4]) -> f32[2x4]
    del y
    return a


def two(w1, x):
    a = dense(w1, x)
    send(a, 1)  # Send f32[2,4]
    del a
    return


def two_2(w2):
    b = receive(((2, 4), float32), 0)  # Send
    c = dense(w2, b)
    del b
    return c


)");
}

TEST(PyTorchScript, MakesEveryGroupOnEveryRankInOneOrder) {
  const std::string text = script(R"(func @f(%x: Tensor[Float32, (4,), 1], %y: Tensor[Float32, (4,), 3]) {
  %a, %b = MPIAllreduce(%x, %y)
  %c = MPIReduce([%a, %b], 2)
  return %c
}
)");
  EXPECT_NE(text.find("GROUPS = [(0, 1, 2), (0, 2)]\n"), std::string::npos) << text;
  // The first and the last rank have one text, though their values have other names.
  EXPECT_EQ(program_of(text), R"(

def f(x):
    a = all_reduce(x, teams[0])  # MPIAllreduce f32[4]
    reduce(a, None, teams[0], 1)  # MPIReduce f32[4]
    del a
    return


def f_2():
    c = reduce(None, ((4,), float32), teams[0], 1)  # MPIReduce
    return c


)");
  EXPECT_NE(text.find(R"(FILES = [
    lambda: ([
        ('x', ((4,), float32)),
    ], ()),
    lambda: ([
    ], ('c',)),
    lambda: ([
        ('y', ((4,), float32)),
    ], ()),
]

PROGRAMS = [
    ('D1', f, FILES[0], [(0, 2)], []),
    ('D2', f_2, FILES[1], [(0, 2)], []),
    ('D3', f, FILES[2], [(0, 2)], []),
])"),
            std::string::npos)
      << text;
}

// Two pairs: each takes its own part of what its first member has and sends it to the second.
TEST(PyTorchScript, HasNumbersOfARankWhereRanksDoTheSame) {
  const std::string text = script(R"(func @f(%x.1: Tensor[Float32, (4, 4), 1], %x.2: Tensor[Float32, (4, 4), 3]) {
  %a = Slice[axes = [0], starts = [0], ends = [2]](%x.1)
  %b = Slice[axes = [0], starts = [2], ends = [4]](%x.2)
  %c = Send(%a, 2)
  %d = Send(%b, 4)
  return %c, %d
}
)");
  EXPECT_EQ(program_of(text), R"(

def f(x_1):
    a = slice_of(x_1, [numbers[0]], [(numbers[0] + 2)], [0], None)  # )"
                              R"(Slice{axes=[0] starts=[numbers[0]] ends=[(numbers[0] + 2)]}(f32[4x4]) -> f32[2x4]
    send(a, (numbers[0] + 1))  # Send f32[2,4]
    del a
    return


def f_2():
    c = receive(((2, 4), float32), numbers[0])  # Send
    return c


)");
  EXPECT_NE(text.find(R"(        ('x.%d' % numbers[1], ((4, 4), float32)),)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(
    ('D1', f, FILES[0], [], [0, 1]),
    ('D2', f_2, FILES[1], [], [0]),
    ('D3', f, FILES[0], [], [2, 2]),
    ('D4', f_2, FILES[2], [], [2]),
])"),
            std::string::npos)
      << text;
}

TEST(PyTorchScript, WritesAGroupOfManyRanksByItsRule) {
  const auto group_of = [](int devices) {
    std::string parameters, operands, results;
    for (int device = 1; device <= devices; ++device) {
      const std::string comma = device == 1 ? "" : ", ", number = std::to_string(device);
      parameters += comma + "%x" + number + ": Tensor[Float32, (4,), " + number + "]";
      operands += comma + "%x" + number;
      results += comma + "%y" + number;
    }
    const std::string text = script("func @f(" + parameters + ") {\n  " + results + " = MPIAllreduce(" + operands +
                                    ")\n  return " + results + "\n}\n");
    const size_t first     = text.find("GROUPS = ");
    return text.substr(first, text.find('\n', first) - first);
  };
  EXPECT_EQ(group_of(8), "GROUPS = [(0, 1, 2, 3, 4, 5, 6, 7)]");
  EXPECT_EQ(group_of(9), "GROUPS = [tuple(range(0, 9, 1))]");
}

TEST(PyTorchScript, IsOneTextForAllPositionsInAGroup) {
  const std::string text = program_of(script(R"(func @f(%z: Tensor[Float32, (4,), 1], %u: Tensor[Float32, (4,), 2]) {
  %a, %b = MPIAllreduce(%z, %u)
  %c = Relu(%a)
  %d = Relu(%b)
  return %c, %d
}
)"));
  EXPECT_EQ(text.find("def f_2"), std::string::npos) << text;
}

// Projection keeps what is on no device for every device.
TEST(PyTorchScript, ComputesNothingThatOtherRanksUseAlone) {
  const std::string text = program_of(script(R"(func @f(%x: Tensor[Int64, (1,), 1], %y: Tensor[Int64, (1,), 2]) {
  %one = Constant[value = 1]()
  %two = Constant[value = 2]()
  %same = Identity(%two)
  %a = Add(%x, %one)
  %b = Add(%y, %same)
  return %a, %b
}
)"));
  EXPECT_EQ(text.find("constant((1,)"), text.rfind("constant((1,)")) << text;
  EXPECT_EQ(text.find("constant((2,)"), text.rfind("constant((2,)")) << text;
}

TEST(PyTorchScript, KeepsValuesApartFromPython) {
  const std::string text = program_of(script(R"(func @f(%torch: Tensor[Float32, (4,)], %in.1: Tensor[Float32, (4,)]) {
  %in_1 = Add(%torch, %in.1)
  return %in_1
}
)"));
  EXPECT_EQ(
      text,
      "\n\ndef f(torch_, in_1):\n    in_1_2 = torch_ + in_1  # Add(f32[4] f32[4]) -> f32[4]\n    return in_1_2\n\n\n");
}

TEST(PyTorchScript, MovesNothingBetweenStreamsOfOneGpu) {
  const std::string text = program_of(script(R"(func @f(%x: Tensor[Float32, (4,), 1]) {
  %a = Send(%x, 1.comm)
  return %a
}
)"));
  EXPECT_EQ(text, "\n\ndef f(x):\n    a = x  # Send f32[4]\n    return a\n\n\n");
}

TEST(PyTorchScript, NeedsTheTypeOfEveryParameter) {
  EXPECT_EQ(refused("func @f(%x: D1, %y: Tensor[Float32, (4,), 1]) {\n  %a = Relu(%y)\n  return %a\n}\n"),
            "p.distir: @f: %x: its type is D1; a type whose every dimension is known would be right");
}

TEST(PyTorchScript, RefusesElementTypesThatPyTorchLacks) {
  EXPECT_EQ(refused("func @f(%x: Tensor[UInt16, (4,), 1]) {\n  %a = Identity(%x)\n  return %a\n}\n"),
            "p.distir: @f: %x: its type is u16; one that PyTorch computes with, as i64, would be right");
  EXPECT_NE(script("func @f(%x: Tensor[Int16, (4,), 1]) {\n  %a = Identity(%x)\n  return %a\n}\n").find("int16"),
            std::string::npos);
}

TEST(PyTorchScript, NamesAnOpThatItCannotSay) {
  ir::OpDef unheard_of;
  unheard_of.name = "Unheard";
  ir::FunctionBuilder builder("f", ops::table());
  const ir::Type vector    = ir::Type::tensor(ir::DType::f32, {4});
  const ir::ValueId x      = builder.parameter("x", ir::ParameterRole::data, vector);
  const ir::ValueId result = builder.append(&unheard_of, -1, std::make_shared<const ir::Attributes>(), {&x, 1}, 1);
  builder.set_name(result, "y");
  ir::Module module;
  module.source = "m";
  module.functions.push_back(builder.finish({result}));
  try {
    pytorch_script({{ir::Device(), module}}, "test");
    FAIL() << "an op without an emitter was written";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "m: @f: %y = Unheard: cannot be written in PyTorch: Unheard has no emitter");
  }
}

TEST(PyTorchScript, CarriesOnlyTheFunctionsThatItUses) {
  const std::string text = script("func @f(%x: Tensor[Float32, (4,)]) {\n  %a = Relu(%x)\n  return %a\n}\n");
  EXPECT_EQ(text.find("def all_reduce("), std::string::npos);
  EXPECT_EQ(text.find("def conv("), std::string::npos);
  EXPECT_NE(text.find("def main("), std::string::npos);
}

}  // namespace
}  // namespace foreflow::lower::pytorch_test
