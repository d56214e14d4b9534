// Every way in which a file can be wrong ends in one line that names the place.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "foreflow/onnx/import.h"
#include "support/temporary.h"
#include "unit/onnx/bytes.h"
#include "unit/onnx/fake_ops.h"

namespace foreflow::onnx::malformed_test {
namespace {

using namespace foreflow::test;

struct Case {
  std::string name, bytes, message;
};

std::string with_weight(const Wire& weight) {
  return model({.nodes = {{"Add", {"x", "w"}, {"y"}}}, .initializers = {weight}});
}
std::string with_input(const Wire& input) { return model({.nodes = {{"Relu", {"x"}, {"y"}}}, .inputs = {input}}); }
std::string with_nodes(const std::vector<NodeText>& nodes) { return model({.nodes = nodes}); }

std::vector<Case> cases() {
  const std::string good     = with_nodes({{"Relu", {"x"}, {"y"}}});
  const Wire graph_attribute = Wire().bytes(1, "body").message(6, Wire().bytes(2, "inner")).number(20, 5);
  return {
      {"empty", "", "m.onnx: is empty; expected an ONNX model"},
      {"truncated", good.substr(0, good.size() - 8), "m.onnx: is not an ONNX model, or only a part of one"},
      {"not_protobuf", "# a text file\n", "m.onnx: is not an ONNX model, or only a part of one"},
      {"no_graph", Wire().number(1, 8).text, "m.onnx: holds no graph; it is not an ONNX model"},
      {"empty_graph", Wire().number(1, 8).message(7, Wire().bytes(2, "g")).text,
       "m.onnx: its graph has neither nodes nor outputs"},
      {"no_opset", model({.nodes = {{"Relu", {"x"}, {"y"}}}, .opset = 0}),
       "m.onnx: imports no set of operators (opset_import), so that its nodes have no meaning"},
      {"raw_data_too_short", with_weight(tensor("w", kFloat, {2, 3}).bytes(9, "12345678")),
       "m.onnx: initializer \"w\": holds 8 bytes; FLOAT (2, 3) needs 24"},
      {"no_data", with_weight(tensor("w", kFloat, {2, 3})),
       "m.onnx: initializer \"w\": holds 0 numbers; FLOAT (2, 3) needs 6"},
      {"negative_dimension", with_weight(tensor("w", kFloat, {2, -3})),
       "m.onnx: initializer \"w\": dimension -3 is negative"},
      {"huge_dimensions", with_weight(tensor("w", kFloat, {int64_t{1} << 40, int64_t{1} << 40})),
       "m.onnx: initializer \"w\": has too many elements to count; check its dimensions"},
      {"too_many_dimensions", with_weight(tensor("w", kFloat, {1, 1, 1, 1, 1, 1, 1, 1, 1})),
       "m.onnx: initializer \"w\": 9 dimensions; at most 8 are supported"},
      {"unknown_dtype", with_weight(tensor("w", 77, {1})),
       "m.onnx: initializer \"w\": data type number 77 is not supported"},
      {"string_tensor", with_weight(tensor("w", kString, {1})),
       "m.onnx: initializer \"w\": data type STRING is not supported"},
      {"initializer_twice",
       model({.nodes = {{"Add", {"x", "w"}, {"y"}}}, .initializers = {ints("w", {1}, {1}), ints("w", {1}, {1})}}),
       "m.onnx: initializer \"w\": stands twice in the file"},
      {"initializer_without_name", with_weight(ints("", {1}, {1})), "m.onnx: an initializer has no name"},
      {"input_dtype", with_input(port("x", kComplex64, {"2"})),
       "m.onnx: graph input \"x\": data type COMPLEX64 is not supported"},
      {"input_is_a_sequence", with_input(Wire().bytes(1, "x").message(2, Wire().message(4, Wire()))),
       "m.onnx: graph input \"x\": is a sequence of a length that is not known; give the shapes of its elements, "
       "\"x/0\" and so on"},
      {"input_is_a_map", with_input(Wire().bytes(1, "x").message(2, Wire().message(5, Wire()))),
       "m.onnx: graph input \"x\": is a map, a sparse tensor or a sequence of sequences; only dense tensors, sequences "
       "of them and optional ones are supported"},
      {"two_inputs_of_one_name",
       model({.nodes = {{"Relu", {"x"}, {"y"}}}, .inputs = {port("x", kFloat, {}), port("x", kFloat, {})}}),
       "m.onnx: two graph inputs are called \"x\""},
      {"nobody_defines", with_nodes({{.op = "Add", .inputs = {"x", "query.1"}, .outputs = {"y"}, .name = "Add_0"}}),
       "m.onnx: node 0 \"Add_0\": reads \"query.1\", which no node, graph input or initializer defines"},
      {"two_nodes_define", with_nodes({{"Relu", {"x"}, {"y"}}, {"Tanh", {"x"}, {"y"}}}),
       "m.onnx: node 1: defines \"y\", which node 0 defines too"},
      {"node_defines_an_input", with_nodes({{"Relu", {"x"}, {"x"}}}),
       "m.onnx: node 0: defines \"x\", which is a graph input or initializer"},
      {"output_undefined", with_nodes({{"Relu", {"x"}, {"z"}}}), "m.onnx: graph output \"y\": no node defines it"},
      {"cycle",
       with_nodes({{"Relu", {"y"}, {"w"}},
                   {"Add", {"x", "b"}, {"a"}},
                   {.op = "Relu", .inputs = {"a"}, .outputs = {"b"}, .name = "back"},
                   {"Add", {"b", "x"}, {"y"}}}),
       "m.onnx: the graph has a cycle: node 1 (Add) -> node 2 \"back\" (Relu) -> node 1 (Add)"},
      {"unknown_op",
       with_nodes(
           {{"Relu", {"x"}, {"a"}},
            {.op = "Attention", .inputs = {"a"}, .outputs = {"y"}, .name = "Attn_0", .domain = "com.microsoft"}}),
       "m.onnx: node 1 \"Attn_0\": op Attention (domain com.microsoft, opset 1) is not supported"},
      {"unknown_ops",
       with_nodes({{"Relux", {"x"}, {"a"}}, {"Relux", {"a"}, {"b"}}, {"Reluy", {"b"}, {"c"}}, {"Reluz", {"c"}, {"y"}}}),
       "m.onnx: node 0: op Relux (opset 13) is not supported; neither are 2 other op types of the graph"},
      {"our_own_op", with_nodes({{"Send", {"x"}, {"y"}}}), "m.onnx: node 0: op Send (opset 13) is not supported"},
      {"no_op_type", with_nodes({{"", {"x"}, {"y"}}}), "m.onnx: node 0: has no op type"},
      {"subgraph", with_nodes({{"Relu", {"x"}, {"y"}, {graph_attribute}}}),
       "m.onnx: node 0: attribute \"body\": a subgraph is not supported here; If, Loop and Scan may have them"},
      {"attribute_twice", with_nodes({{"Relu", {"x"}, {"y"}, {int_attribute("a", 1), int_attribute("a", 2)}}}),
       "m.onnx: node 0: has two attributes \"a\""},
      {"bad_tensor_attribute",
       with_nodes({{"Constant", {}, {"y"}, {tensor_attribute("value", tensor("", kInt64, {3}))}}}),
       "m.onnx: node 0: attribute \"value\": holds 0 numbers; INT64 (3,) needs 3"},
      {"constant_without_value", with_nodes({{"Constant", {}, {"y"}}}),
       "m.onnx: node 0: a Constant needs a value of numbers (value, value_int, value_ints, value_float or "
       "value_floats)"},
      {"cast_to_string", with_nodes({{"Cast", {"x"}, {"y"}, {int_attribute("to", kString)}}}),
       "m.onnx: node 0: to STRING: this data type is not supported"},
      {"line_breaks_in_names", with_nodes({{.op = "Relu", .inputs = {"a\nb"}, .outputs = {"y"}}}),
       "m.onnx: node 0: reads \"a\\nb\", which no node, graph input or initializer defines"},
  };
}

class Malformed : public ::testing::TestWithParam<std::string> {};

TEST_P(Malformed, OnnxFileIsRefusedInOneLine) {
  for (const Case& row : cases()) {
    if (row.name != GetParam()) continue;
    try {
      import_bytes(row.bytes, "m.onnx", fake_ops());
      ADD_FAILURE() << "was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()), row.message);
    }
  }
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const Case& row : cases()) names.push_back(row.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Every, Malformed, ::testing::ValuesIn(case_names()),
                         [](const auto& info) { return info.param; });

// Those who only ask for shapes are told, too, that a file does not hold what it says.
TEST(OnnxImport, RefusesAnInitializerOfAnotherSizeAlsoWhereItsNumbersAreNotRead) {
  const auto complaint = [](const Wire& weight) {
    try {
      import_bytes(with_weight(weight), "m.onnx", fake_ops(), Numbers::skip);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  const auto external = [](const std::string& length) {
    return tensor("w", kFloat, {2, 3})
        .message(13, Wire().bytes(1, "location").bytes(2, "w.bin"))
        .message(13, Wire().bytes(1, "length").bytes(2, length))
        .number(14, 1);
  };
  EXPECT_EQ(complaint(tensor("w", kFloat, {2, 3}).bytes(9, "12345678")),
            "m.onnx: initializer \"w\": holds 8 bytes; FLOAT (2, 3) needs 24");
  EXPECT_EQ(complaint(tensor("w", kFloat, {2, 3}).real(4, 1).real(4, 2)),
            "m.onnx: initializer \"w\": holds 2 numbers; FLOAT (2, 3) needs 6");
  EXPECT_EQ(complaint(external("20")),
            "m.onnx: initializer \"w\": external_data length is 20 bytes; Tensor[Float32, (2, 3)] needs 24");
  EXPECT_EQ(complaint(external("24")), "none");
  EXPECT_EQ(complaint(floats("w", {2, 3}, {1, 2, 3, 4, 5, 6})), "none");
}

// Cut anywhere, a file is refused or, where the cut leaves a whole message, accepted; nothing else.
TEST(OnnxImport, SurvivesEveryTruncationAndEveryFlippedByte) {
  const std::string good =
      model({.nodes = {{"Reshape", {"x", "s"}, {"a"}, {int_attribute("allowzero", 1)}}, {"Add", {"a", "w"}, {"y"}}},
             .initializers = {ints("s", {2}, {3, 2}), floats("w", {2}, {1, 2})}});
  const auto attempt = [](const std::string& bytes) {
    try {
      import_bytes(bytes, "m.onnx", fake_ops());
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  };
  for (size_t length = 0; length < good.size(); ++length) attempt(good.substr(0, length));
  for (size_t place = 0; place < good.size(); ++place) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string bad = good;
      bad[place]      = static_cast<char>(bad[place] ^ flip);
      attempt(bad);
    }
  }
}

TEST(OnnxImport, RefusesFilesThatAreAbsentOrLargerThanProtobufCanHold) {
  EXPECT_THROW(import_model("/no/such/model.onnx", fake_ops()), Error);
  const test::TemporaryFolder folder;
  const std::string path = folder / "large.onnx";
  std::ofstream(path) << "";
  std::filesystem::resize_file(path, (uintmax_t{1} << 31) + 1);  // sparse: takes no room
  try {
    import_model(path, fake_ops());
    ADD_FAILURE() << "was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(),
              "is larger than 2 GiB, protobuf's limit; save the model with its weights as external data");
  }
}

}  // namespace
}  // namespace foreflow::onnx::malformed_test
