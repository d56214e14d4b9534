// Whole files with a right checksum whose contents no program says: messages made by hand.
#include <gmock/gmock.h>

#include "binary/file.h"
#include "foreflow/binary/distirb.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "unit/onnx/bytes.h"

namespace foreflow::binary::refused_test {
namespace {

using test::Wire;

// Field numbers of distir.proto.
enum Field { kStrings = 1, kOps = 2, kTypes = 3, kAttributes = 4, kFunctions = 5 };

std::string packed(const std::vector<uint64_t>& numbers) {
  Wire wire;
  for (const uint64_t number : numbers) wire.varint(number);
  return wire.text;
}

// func @f(%x) { %y = Relu(%x) return %y }, list by list.
struct Lists {
  std::vector<std::string> strings     = {"f", "x", "y", "Relu"};
  uint64_t name                        = 1;
  std::vector<uint64_t> parameters     = {0};
  std::vector<uint64_t> value_names    = {2, 3};
  std::vector<uint64_t> value_types    = {0, 0};
  std::vector<uint64_t> op_kinds       = {2};  // 1, as sint32
  std::vector<uint64_t> op_attributes  = {0};
  std::vector<uint64_t> operand_counts = {1};
  std::vector<uint64_t> result_counts  = {1};
  std::vector<uint64_t> operands       = {1};
  std::vector<uint64_t> results        = {1};
  std::string tables;  // further fields of the Module: types and attributes

  std::string file() const {
    Wire function;
    function.number(1, static_cast<int64_t>(name));
    int field = 2;
    for (const auto* list : {&parameters, &value_names, &value_types, &op_kinds, &op_attributes, &operand_counts,
                             &result_counts, &operands, &results}) {
      function.bytes(field++, packed(*list));
    }
    Wire module;
    for (const std::string& text : strings) module.bytes(kStrings, text);
    module.message(kOps, Wire().number(1, 4)).message(kFunctions, function);
    return wrap(module.text + tables);
  }
};

std::string error_of(const Lists& lists) {
  try {
    read(lists.file(), "m", ops::table());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(DistirbByHand, IsAProgram) {
  EXPECT_EQ(ir::print(read(Lists().file(), "m", ops::table())), "func @f(%x) {\n  %y = Relu(%x)\n  return %y\n}\n");
}

struct Case {
  std::string name;
  void (*change)(Lists& lists);
  std::string message;
};

Wire type(int64_t kind, int64_t dtype = 0) { return Wire().number(1, kind).number(2, dtype); }
std::string table(Field field, const Wire& entry) { return Wire().message(field, entry).text; }
std::string attribute(const Wire& value) {
  return table(kAttributes, Wire().message(1, Wire().number(1, 2).bytes(9, value.text)));
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"string_number", [](Lists& l) { l.name = 9; }, "m: points to string 9 of 4"},
      {"function_name", [](Lists& l) { l.strings[0] = "a b"; }, "m: function 1: \"a b\" cannot name a function"},
      {"no_function_name", [](Lists& l) { l.name = 0; }, "m: function 1: \"\" cannot name a function"},
      {"value_name", [](Lists& l) { l.strings[1] = "x\n"; }, "m: function 1: \"x\\n\" cannot name a value"},
      {"value_number_name",
       [](Lists& l) {
         l.strings[1]     = "v1";
         l.value_names[1] = 0;
       },
       "m: function 1: a value has the name v1, which is how text calls another"},
      {"role", [](Lists& l) { l.parameters = {2}; }, "m: function 1: a parameter has the unknown role 2"},
      {"type_number", [](Lists& l) { l.value_types[0] = 1; }, "m: points to type 1 of 0"},
      {"too_few_values", [](Lists& l) { l.value_names.pop_back(); },
       "m: function 1: defines 2 values, but describes 1"},
      {"many_results", [](Lists& l) { l.result_counts = {4000000000}; },
       "m: function 1: defines 4000000001 values, but describes 2"},
      {"no_result",
       [](Lists& l) {
         l.result_counts = {0};
         l.value_names = l.value_types = {0};
       },
       "m: function 1: op 1 has no result"},
      {"op_number", [](Lists& l) { l.op_kinds = {4}; }, "m: function 1: op 1 has the unknown number 2"},
      {"op_zero", [](Lists& l) { l.op_kinds = {0}; }, "m: function 1: op 1 has the unknown number 0"},
      {"op_lists",
       [](Lists& l) {
         l.op_kinds = {2, 2};
       },
       "m: function 1: its lists of ops differ in length"},
      {"operands",
       [](Lists& l) {
         l.operands = {1, 1};
       },
       "m: function 1: has 2 operands for ops that take 1"},
      {"too_many_operands",
       [](Lists& l) {
         l.operand_counts = {2};
         l.operands       = {1, 1};
       },
       "m: function 1: op 1: Relu has 2 operands; at most 1 would be right"},
      {"operand_number", [](Lists& l) { l.operands = {3}; }, "m: function 1: uses value 3 of 2"},
      {"own_result", [](Lists& l) { l.operands = {2}; }, "m: @f: %y = Relu: uses %y before it is defined"},
      {"result_number", [](Lists& l) { l.results = {2}; }, "m: function 1: returns a value that it does not have"},
      {"itself", [](Lists& l) { l.op_kinds = {1}; }, "m: function 1: op 1 calls a function that does not stand above"},
      {"unknown_op", [](Lists& l) { l.strings[3] = "Rely"; },
       "m: unknown op \"Rely\"; the nearest is \"Relu\" (see: foreflow list ops)"},
      {"type_kind", [](Lists& l) { l.tables = table(kTypes, type(9)); }, "m: a type is of the unknown kind 9"},
      {"data_type", [](Lists& l) { l.tables = table(kTypes, type(1, 2)); }, "m: has the unknown data type \"x\""},
      {"dimension",
       [](Lists& l) {
         l.strings.emplace_back("Float32");
         l.tables = table(kTypes, type(2, 5).bytes(3, packed({3})));  // -2
       },
       "m: a dimension is -2"},
      {"large_constant",
       [](Lists& l) {
         l.strings.emplace_back("Float32");
         l.tables = attribute(Wire().number(1, 5).bytes(2, packed({2000000000, 2000000000})));
       },
       "m: a constant has a dimension of 2000000000 and 0 bytes"},
      {"short_constant",
       [](Lists& l) {
         l.strings.emplace_back("Float32");
         l.tables = attribute(Wire().number(1, 5).bytes(2, packed({2})).bytes(3, "12345"));
       },
       "m: a constant Tensor[Float32, (2,)] has 5 bytes"},
      {"truth",
       [](Lists& l) {
         l.strings.emplace_back("Bool");
         l.tables = attribute(Wire().number(1, 5).bytes(2, packed({1})).bytes(3, "2"));
       },
       "m: a truth value is neither 0 nor 1"},
      {"unknown_attribute",
       [](Lists& l) {
         l.strings.emplace_back("nope");
         l.tables        = table(kAttributes, Wire().message(1, Wire().number(1, 5).number(2, 0)));
         l.op_attributes = {1};
       },
       "m: function 1: op 1: attribute \"nope\" of Relu is not known; it has none"},
      {"attribute_name",
       [](Lists& l) {
         l.strings.emplace_back("a.b");
         l.tables = table(kAttributes, Wire().message(1, Wire().number(1, 5).number(2, 0)));
       },
       "m: \"a.b\" cannot name an attribute"},
      {"attribute_without_value",
       [](Lists& l) { l.tables = table(kAttributes, Wire().message(1, Wire().number(1, 2))); },
       "m: the attribute \"x\" has no value"},
      {"stream", [](Lists& l) { l.tables = table(kTypes, type(0).message(4, Wire().number(1, 1).number(2, 9))); },
       "m: points to string 9 of 4"},
      {"device", [](Lists& l) { l.tables = table(kTypes, type(0).message(4, Wire().number(1, 4000000000))); },
       "m: has the device number 4000000000; the largest is 2147483647"},
  };
  return all;
}

class RefusedDistirb : public ::testing::TestWithParam<Case> {};

TEST_P(RefusedDistirb, SaysWhatIsWrong) {
  Lists lists;
  GetParam().change(lists);
  EXPECT_EQ(error_of(lists), GetParam().message);
}

void PrintTo(const Case& test, std::ostream* out) { *out << test.name; }

INSTANTIATE_TEST_SUITE_P(ByHand, RefusedDistirb, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace foreflow::binary::refused_test
