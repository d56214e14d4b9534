// The interpreter: calls once per signature, devices renamed, errors with their place.
#include <gtest/gtest.h>

#include "foreflow/interpret/concrete.h"
#include "foreflow/interpret/flops.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"

namespace foreflow::interpret::interpreter_test {
namespace {

using ir::Array;

struct Interpreted {
  ir::Module module;
  MixedInterpretation values;

  std::string type(std::string_view name) const {
    const ir::Function& entry = module.entry();
    for (size_t i = 0; i < entry.values.size(); ++i) {
      if (entry.values[i].name == name) return to_string(values.entry().values[i].type);
    }
    return "no %" + std::string(name);
  }
  // How often function number `function` was interpreted.
  int instances(size_t function) const {
    int count = 0;
    for (const auto& instance : values.instances) count += instance.function == function ? 1 : 0;
    return count;
  }
};

Interpreted interpreted(const std::string& text) {
  Interpreted result{ir::parse(text, "m", ops::table()), {}};
  result.values = interpret_mixed(result.module, result.module.functions.size() - 1);
  return result;
}

std::string refused(const std::string& text) {
  try {
    interpreted(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

const std::string kDouble = "func @double(%x) {\n  %y = Add(%x, %x)\n  return %y\n}\n";
const std::string kAdd    = "func @add(%x, %y) {\n  %z = Add(%x, %y)\n  return %z\n}\n";

std::string tensor(const std::string& dims, const std::string& device) {
  return "Tensor[Float32, " + dims + ", " + device + "]";
}

TEST(Interpreter, InterpretsCallsThatDifferOnlyInDevicesOnce) {
  const Interpreted one =
      interpreted(kDouble + "func @f(%a: " + tensor("(4,)", "1") + ", %b: " + tensor("(4,)", "7") +
                  ") {\n  %c = @double(%a)\n  %d = @double(%b)\n  %e = @double(%c)\n  return %d\n}");
  EXPECT_EQ(one.instances(0), 1);
  EXPECT_EQ(one.type("c"), tensor("(4,)", "1"));
  EXPECT_EQ(one.type("d"), tensor("(4,)", "7"));
  EXPECT_EQ(one.type("e"), tensor("(4,)", "1"));
}

TEST(Interpreter, InterpretsEachSignatureOfAFunctionOnItsOwn) {
  const Interpreted two = interpreted(kDouble + "func @f(%a: " + tensor("(4,)", "1") + ", %b: " + tensor("(8,)", "1") +
                                      ") {\n  %c = @double(%a)\n  %d = @double(%b)\n  return %d\n}");
  EXPECT_EQ(two.instances(0), 2);
  EXPECT_EQ(two.type("c"), tensor("(4,)", "1"));
  EXPECT_EQ(two.type("d"), tensor("(8,)", "1"));
}

TEST(Interpreter, RefusesProgramsOfMoreSignaturesThanAnyoneCouldWaitFor) {
  std::string text = "func @f0(%x, %c) {\n  %y = Concat[axis = 0](%x, %c)\n  return %y\n}\n";
  for (int i = 1; i <= 40; ++i) {
    const std::string below = "@f" + std::to_string(i - 1) + "(";
    text += "func @f" + std::to_string(i) + "(%x, %c) {\n  %y = " + below + "%x, %c)\n  %z = " + below +
            "%y, %c)\n  return %z\n}\n";
  }
  text += "func @f(%x: " + tensor("(4,)", "1") + ", %c: " + tensor("(1,)", "1") +
          ") {\n  %y = @f40(%x, %c)\n  return %y\n}";
  EXPECT_EQ(refused(text), "m: @f2: its calls have more than 100000 different signatures");
}

TEST(Interpreter, TellsStreamsOfADeviceFromTheDevice) {
  const Interpreted two =
      interpreted(kDouble + "func @f(%a: " + tensor("(4,)", "3") + ", %b: " + tensor("(4,)", "3.comm") +
                  ") {\n  %c = @double(%a)\n  %d = @double(%b)\n  return %d\n}");
  EXPECT_EQ(two.instances(0), 2);
  EXPECT_EQ(two.type("c"), tensor("(4,)", "3"));
  EXPECT_EQ(two.type("d"), tensor("(4,)", "3.comm"));
}

TEST(Interpreter, RenamesDevicesThroughNestedCalls) {
  const Interpreted nested =
      interpreted(kDouble + "func @twice(%p, %q) {\n  %r = @double(%q)\n  %s = @double(%p)\n  return %r, %s\n}\n" +
                  "func @f(%a: " + tensor("(4,)", "5") + ", %b: " + tensor("(4,)", "2") +
                  ") {\n  %c, %d = @twice(%a, %b)\n  %e, %g = @twice(%b, %a)\n  return %d\n}");
  EXPECT_EQ(nested.instances(0), 1);
  EXPECT_EQ(nested.instances(1), 1);
  EXPECT_EQ(nested.type("c"), tensor("(4,)", "2"));
  EXPECT_EQ(nested.type("d"), tensor("(4,)", "5"));
  EXPECT_EQ(nested.type("e"), tensor("(4,)", "5"));
}

TEST(Interpreter, LeavesTheDevicesOfFunctionsThatNameThemAlone) {
  const Interpreted named =
      interpreted("func @to2(%x) {\n  %y = Send(%x, 2)\n  return %y\n}\nfunc @f(%a: " + tensor("(4,)", "1") +
                  ", %b: " + tensor("(4,)", "3") + ") {\n  %c = @to2(%a)\n  %d = @to2(%b)\n  return %d\n}");
  EXPECT_EQ(named.instances(0), 2);
  EXPECT_EQ(named.type("c"), tensor("(4,)", "2"));
  EXPECT_EQ(named.type("d"), tensor("(4,)", "2"));
  EXPECT_EQ(functions_naming_devices(named.module), (std::vector<bool>{true, true}));
}

TEST(Interpreter, RefusesOperandsOnTwoDevicesNamingThePlace) {
  EXPECT_EQ(refused("func @f(%a: " + tensor("(4,)", "1") + ", %b: " + tensor("(4,)", "2") +
                    ") {\n  %c = Add(%a, %b)\n  return %c\n}"),
            "m:2: @f: %c = Add: devices: operands live on D1 and D2; Send one of them first");
}

TEST(Interpreter, NamesTheOpInsideTheCalledFunction) {
  EXPECT_EQ(refused(kAdd + "func @f(%a: " + tensor("(4,)", "1") + ", %b: " + tensor("(3,)", "1") +
                    ") {\n  %c = @add(%a, %b)\n  return %c\n}")
                .substr(0, 20),
            "m:2: @add: %z = Add:");
}

TEST(Interpreter, RefusesAnnotationsThatContradictWhatIsInferred) {
  EXPECT_EQ(refused("func @f(%a: " + tensor("(4,)", "1") + ") {\n  %b: D2 = Relu(%a)\n  return %b\n}"),
            "m:2: @f: %b = Relu: is annotated D2 but is Tensor[Float32, (4,), 1]");
  EXPECT_EQ(
      refused("func @f(%a: " + tensor("(4,)", "1") + ") {\n  %b: Tensor[Float32, (5,)] = Relu(%a)\n  return %b\n}"),
      "m:2: @f: %b = Relu: is annotated Tensor[Float32, (5,)] but is Tensor[Float32, (4,), 1]");
}

TEST(Interpreter, RefusesAWrongNumberOfArguments) {
  const ir::Module module = ir::parse(kAdd, "m", ops::table());
  try {
    interpret_mixed(module, 0, {Mixed::of(Array::scalar(1.0F))});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "m: @add: takes 2 arguments, not 1");
  }
}

TEST(MixedDomain, PrefersNumbersToShapesAndShapesToTypes) {
  const Interpreted mixed = interpreted("func @f(%x: " + tensor("(6, 4)", "1") + ", %n: Tensor[Int64, (2,), 1]) {\n" +
                                        "  %shape = Shape(%x)\n  %twice = Add(%shape, %shape)\n" +
                                        "  %half = Relu(%x)\n  %sum = Add(%shape, %n)\n  return %sum\n}");
  const auto known        = [&](std::string_view name) -> std::optional<Array> {
    const ir::Function& entry = mixed.module.entry();
    for (size_t i = 0; i < entry.values.size(); ++i) {
      const auto& numbers = mixed.values.entry().values[i].known;
      if (entry.values[i].name == name && numbers != nullptr) return *numbers;
    }
    return std::nullopt;
  };
  EXPECT_EQ(known("shape"), Array::of_ints({2}, {6, 4}));   // from the operand's shape
  EXPECT_EQ(known("twice"), Array::of_ints({2}, {12, 8}));  // from numbers
  EXPECT_EQ(known("half"), std::nullopt);                   // from types
  EXPECT_EQ(known("sum"), std::nullopt);                    // one unknown operand is enough
  EXPECT_EQ(mixed.type("sum"), "Tensor[Int64, (2,), 1]");
}

TEST(MixedDomain, KeepsLargeResultsAbstract) {
  const auto of = [](int64_t size) {
    const Interpreted made = interpreted("func @f() {\n  %x = ConstantOfShape[shape = [" + std::to_string(size) +
                                         "]]()\n  %y = Neg(%x)\n  return %y\n}");
    return made.values.entry().values[1].known != nullptr;
  };
  EXPECT_TRUE(of(MixedDomain::kLargestKnown));
  EXPECT_FALSE(of(MixedDomain::kLargestKnown + 1));
}

TEST(MixedDomain, ListsTheValuesOfUnknownShape) {
  const Interpreted open = interpreted("func @f(%x: Tensor[Float32, (?, 4), 1]) {\n  %y = Relu(%x)\n  return %y\n}");
  EXPECT_EQ(unresolved(open.module, open.values),
            (std::vector<std::string>{"%x: Tensor[Float32, (?, 4), 1]", "%y: Tensor[Float32, (?, 4), 1]"}));
}

TEST(TotalFlops, CountsACallAsOftenAsItHappens) {
  const std::string types = "(%x: " + tensor("(8, 8)", "1") + ", %w: " + tensor("(8, 8)", "1") + ")";
  const std::string body  = "func @g(%x, %w) {\n  %y = MatMul(%x, %w)\n  return %y\n}\n";
  const Interpreted calls = interpreted(body + "func @f" + types +
                                        " {\n  %a = @g(%x, %w)\n  %b = @g(%a, %w)\n  %c = @g(%b, %w)\n  return %c\n}");
  EXPECT_EQ(calls.instances(0), 1);
  EXPECT_EQ(total_flops(calls.module, calls.values).value(), 3 * 2 * 8 * 8 * 8);
}

TEST(Evaluate, RunsCallsOnRealNumbers) {
  const ir::Module module = ir::parse(
      kDouble + kAdd + "func @f(%a: D1) {\n  %b = @double(%a)\n  %c: D2 = Send(%b, 2)\n  %d: D2 = Send(%a, 2)\n" +
          "  %e = @add(%c, %d)\n  %g, %h = MPIAllreduce(%a, %e)\n  return %e, %g\n}",
      "m", ops::table());
  const auto results = evaluate(module, 2, {Array::of_floats({2}, {1, -2})});
  EXPECT_EQ(results, (std::vector{Array::of_floats({2}, {3, -6}), Array::of_floats({2}, {4, -8})}));
}

TEST(Evaluate, RefusesNumbersThatContradictTheDeclaredType) {
  const ir::Module module = ir::parse("func @f(%a: Tensor[Float32, (3,), 1]) {\n  return %a\n}", "m", ops::table());
  try {
    evaluate(module, 0, {Array::of_floats({2}, {1, 2})});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "m: @f: %a: is annotated Tensor[Float32, (3,), 1] but is Tensor[Float32, (2,)]");
  }
}

TEST(Evaluate, TellsOfEachOpOfEachCall) {
  const ir::Module module =
      ir::parse(kDouble + "func @f(%a) {\n  %b = @double(%a)\n  %c = @double(%b)\n  %d = Add(%c, %a)\n  return %d\n}",
                "m", ops::table());
  EXPECT_EQ(computed_ops(module, 1), 3U);
  size_t computed    = 0;
  const auto results = evaluate(module, 1, {Array::of_floats({2}, {1, 2})}, [&] { ++computed; });
  EXPECT_EQ(computed, 3U);
  EXPECT_EQ(results[0], Array::of_floats({2}, {5, 10}));
}

// Sixty functions, each of which calls the one before twice: 2^60 ops.
TEST(ComputedOps, StopsCountingWhereNobodyCouldWait) {
  std::string text = "func @f0(%x) {\n  %y = Relu(%x)\n  return %y\n}\n";
  for (int i = 1; i <= 60; ++i) {
    const std::string callee = "@f" + std::to_string(i - 1);
    text += "func @f" + std::to_string(i) + "(%x) {\n  %y = " + callee + "(%x)\n  %z = " + callee +
            "(%y)\n  return %z\n}\n";
  }
  EXPECT_EQ(computed_ops(ir::parse(text, "m", ops::table()), 60), 1'000'000'000'000'000U);
}

}  // namespace
}  // namespace foreflow::interpret::interpreter_test
