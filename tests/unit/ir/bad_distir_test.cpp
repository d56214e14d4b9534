// Every way in which a program's text can be wrong ends in one line that names the place.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"

namespace foreflow::ir::bad_distir_test {
namespace {

struct Case {
  std::string name, text, message;
};

// One statement on line 2 of a function of two parameters.
std::string body(const std::string& statement) {
  return "func @f(%x: D1, %y: D1) {\n  " + statement + "\n  return %x\n}\n";
}
std::string with_parameters(const std::string& parameters) { return "func @f(" + parameters + ") {\n  return\n}\n"; }

// A function @g of one parameter and one result, then a caller whose line 5 is `statement`.
std::string after_callee(const std::string& statement) {
  return "func @g(%x) {\n  return %x\n}\nfunc @f(%a, %b) {\n  " + statement + "\n  return %a\n}\n";
}

std::vector<Case> cases() {
  return {
      {"no_function", "fun @f() {}", "m:1:1: expected 'func', found 'fun'"},
      {"no_function_name", "func @(%x) {}", "m:1:7: expected the name of the function after '@'"},
      {"function_twice", "func @f(%x) {\n  return %x\n}\nfunc @f(%x) {\n  return %x\n}\n",
       "m:4:8: the function @f is defined twice"},
      {"parameter_without_percent", with_parameters("x"), "m:1:9: expected a value such as %x, found 'x'"},
      {"parameter_twice", with_parameters("%x, %x"), "m:1:15: %x is defined twice; every value is defined once"},
      {"parameters_not_separated", with_parameters("%x %y"), "m:1:12: expected ',' or ')', found '%'"},
      {"unknown_type", with_parameters("%x: Matrix"),
       "m:1:13: unknown type 'Matrix'; write D1, Int32 or Tensor[Float32, (64, 512), 1]"},
      {"unknown_data_type", with_parameters("%x: Tensor[Float31, (2,)]"),
       "m:1:20: unknown data type 'Float31'; write one such as Float32 or Int64"},
      {"negative_dimension", with_parameters("%x: Tensor[Float32, (-2,)]"),
       "m:1:30: a dimension is not negative; write ? where it is unknown"},
      {"dimension_of_minus_one", with_parameters("%x: Tensor[Float32, (-1,)]"),
       "m:1:30: a dimension is not negative; write ? where it is unknown"},
      {"too_many_dimensions", with_parameters("%x: Tensor[Float32, (1, 1, 1, 1, 1, 1, 1, 1, 1)]"),
       "m:1:54: a shape has at most 8 dimensions"},
      {"long_stream_name", with_parameters("%x: D1.communication"), "m:1:16: a stream name has at most 12 letters"},
      {"unknown_op", body("%z = Gem(%x, %y)"),
       "m:2:8: unknown op \"Gem\"; the nearest is \"Gemm\" (see: foreflow list ops)"},
      {"no_op", body("%z = (%x)"), "m:2:8: expected an op or a @function, found '('"},
      {"no_equals", body("%z Relu(%x)"), "m:2:6: expected '=', found 'Relu'"},
      {"used_before_definition", body("%z = Add(%x, %w)"),
       "m:2:16: %w is used before it is defined; nothing in @f defines it"},
      {"result_twice", body("%x = Relu(%y)"), "m:3:3: %x is defined twice; every value is defined once"},
      {"attribute_twice", body("%z = Softmax[axis = 1, axis = 0](%x)"), "m:2:31: the attribute axis is given twice"},
      {"unknown_attribute", body("%z = Softmax[axes = 1](%x)"),
       "m:2:16: attribute \"axes\" of Softmax is not known; the nearest is \"axis\"; it has axis or flatten"},
      {"unknown_attribute_of_one", body("%z = Transpose[prem = [1, 0]](%x)"),
       "m:2:18: attribute \"prem\" of Transpose is not known; it has perm"},
      {"unknown_attribute_of_none", body("%z = Relu(%x, nope=3)"),
       "m:2:17: attribute \"nope\" of Relu is not known; it has none"},
      {"attribute_of_another_op", body("%w = Flatten[axis = 1](%x)\n  %z = Relu[axis = 1](%w)"),
       "m:3:13: attribute \"axis\" of Relu is not known; it has none"},
      {"attribute_without_value", body("%z = Softmax[axis = ](%x)"), "m:2:23: expected a value, found ']'"},
      {"mixed_list", body("%z = Transpose[perm = [1, two]](%x)"), "m:2:33: a list holds either numbers or strings"},
      {"too_many_operands", body("%z = Relu(%x, %y, %x)"), "m:2:8: Relu has 3 operands; at most 1 would be right"},
      {"operands_of_a_constant", body("%z = Constant[value = 1](%x)"),
       "m:2:8: Constant has 1 operands; none would be right"},
      {"too_many_literals", body("%z = Send(%x, 2, 3)"),
       "m:2:20: Send takes no further literal here; write attributes as name=value"},
      {"literal_in_call", after_callee("%z = @g(2)"), "m:5:11: a call takes values such as %x, found '2'"},
      {"unknown_callee", body("%z = @g(%x)"), "m:2:8: the function @g is not defined above"},
      {"recursive_call", body("%z = @f(%x)"), "m:2:8: the function @f is not defined above"},
      {"too_many_arguments", after_callee("%z = @g(%a, %b)"), "m:5:8: @g has 1 parameters, not 2"},
      {"too_many_results", after_callee("%z, %w = @g(%a)"), "m:5:12: @g has 1 results, not 2"},
      {"unclosed_string", body("%z = Cast[to = \"Float16](%x)"), "m:2:18: the string has no closing '\"'"},
      {"unclosed_function", "func @f(%x) {\n  return %x", "m:2:12: expected '}', found the end of the text"},
      {"no_return", "func @f(%x) {\n}", "m:2:1: expected a value such as %x, found '}'"},
      {"constant_too_short", body("%z = Constant[value = Int64(2,)[1]]()"), "m:2:36: expected ',', found ']'"},
      {"constant_of_unknown_size", body("%z = Constant[value = Int64(?,)[1]]()"),
       "m:2:34: a constant has no unknown dimension"},
      {"constant_larger_than_the_text", body("%z = Constant[value = Int64(65536, 65536)[1]]()"),
       "m:2:44: the constant has more elements than the text; write them all"},
      {"shape_without_end", with_parameters("%x: Tensor[Float32, (1099511627776, ?, 1099511627776)]"),
       "m:1:29: the shape (1099511627776, ?, 1099511627776) has more than 2^56 elements"},
      {"control_character", body("%z = \x01(%x)"), "m:2:8: expected an op or a @function, found '\\x01'"},
      {"empty_list", body("%z = MPIReduce(1)"), "m:2: @f: %z = MPIReduce: takes a list of at least one operand"},
      {"integer_out_of_range", body("%z = Softmax[axis = 99999999999999999999](%x)"),
       "m:2:23: '99999999999999999999' is too large; an integer is at most 9223372036854775807"},
      {"integer_out_of_range_below", body("%z = Softmax[axis = -99999999999999999999](%x)"),
       "m:2:23: '-99999999999999999999' is too small; an integer is at least -9223372036854775808"},
      {"dimension_out_of_range", with_parameters("%x: Tensor[Float32, (8, 99999999999999999999, 8), 1]"),
       "m:1:33: '99999999999999999999' is too large; an integer is at most 9223372036854775807"},
      {"broken_dimension", with_parameters("%x: Tensor[Float32, (8, 1.5)]"),
       "m:1:33: expected an integer, found '1.5'"},
      {"device_out_of_range", with_parameters("%x: Tensor[Float32, (8,), 3000000000]"),
       "m:1:35: '3000000000' is too large; a device number is at most 2147483647"},
      {"real_out_of_range", body("%z = Gemm[alpha = 1e999](%x, %y)"),
       "m:2:21: '1e999' is too large; a number is at most 1.79e308"},
      {"real_below_range", body("%z = Gemm[alpha = 1e-999](%x, %y)"), "m:2:21: '1e-999' is too close to 0; write 0"},
      {"element_too_large", body("%z = Constant[value = Int8(2,)[1, 300]]()"),
       "m:2:37: 300 does not fit; an element of Int8 is from -128 to 127"},
      {"element_too_small", body("%z = Constant[value = UInt4(1,)[-1]]()"),
       "m:2:35: -1 does not fit; an element of UInt4 is from 0 to 15"},
      {"element_out_of_range", body("%z = Constant[value = UInt64(1,)[99999999999999999999]]()"),
       "m:2:36: '99999999999999999999' is too large; a whole number is at most 18446744073709551615"},
      {"broken_number", body("%z = Softmax[axis = 1e](%x)"), "m:2:24: expected ',' or ']', found 'e'"},
  };
}

class BadDistir : public testing::TestWithParam<std::string> {};

TEST_P(BadDistir, IsRefusedInOneLineThatNamesThePlace) {
  const auto all  = cases();
  const auto& row = *std::find_if(all.begin(), all.end(), [&](const Case& one) { return one.name == GetParam(); });
  try {
    parse(row.text, "m", ops::table());
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), row.message);
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Case& one : cases()) all.push_back(one.name);
  return all;
}

TEST(DeepDistir, IsRefusedWhereWhoFollowsCallsWouldRunOutOfStack) {
  std::string text = "func @f0(%x) {\n  return %x\n}\n";
  for (int i = 1; i <= 300; ++i) {
    const std::string number = std::to_string(i), before = std::to_string(i - 1);
    text += "func @f" + number + "(%x) {\n  %y = @f" + before + "(%x)\n  return %y\n}\n";
  }
  try {
    parse(text, "m", ops::table());
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "m: @f257: calls are nested more than 256 deep");
  }
}

INSTANTIATE_TEST_SUITE_P(Text, BadDistir, testing::ValuesIn(names()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace foreflow::ir::bad_distir_test
