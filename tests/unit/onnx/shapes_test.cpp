// Real models and GPT-2 graphs: with the dimensions of the inputs given, mixed interpretation finds every shape in the
// graph.
#include <gtest/gtest.h>

#include <map>

#include "foreflow/interpret/mixed.h"
#include "foreflow/onnx/gpt2_graph.h"
#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "support/data.h"
#include "support/shared.h"

namespace foreflow::onnx::shapes_test {
namespace {

// What the symbolic dimensions of the models stand for here.
const std::map<std::string, int64_t>& dimensions() {
  static const std::map<std::string, int64_t> values = {{"batch", 2},
                                                        {"batch_size", 2},
                                                        {"input1_dim_0", 2},
                                                        {"input1_dim_1", 1},
                                                        {"input1_dim_2", 8},
                                                        {"inputs_attention_mask_dim0", 2},
                                                        {"inputs_attention_mask_dim1", 4},
                                                        {"inputs_input_ids_dim0", 2},
                                                        {"inputs_labels_dim0", 2},
                                                        {"inputs_labels_dim1", 4},
                                                        {"past_seq_len", 3},
                                                        {"past_seq_len+seq_len", 7},
                                                        {"seq_len", 4},
                                                        {"tokens", 8}};
  return values;
}

// The number that a stated dimension stands for; nothing for names that exporters made up.
std::optional<int64_t> value_of(const std::string& dimension) {
  if (dimension.find_first_not_of("0123456789") == std::string::npos) return std::stoll(dimension);
  const auto found = dimensions().find(dimension);
  return found == dimensions().end() ? std::nullopt : std::optional(found->second);
}

std::vector<interpret::Mixed> arguments_for(const Imported& imported) {
  const ir::Function& main = imported.module.entry();
  std::vector<interpret::Mixed> arguments;
  for (size_t i = 0; i < main.parameters.size(); ++i) {
    ir::Type type = *main.values[i].annotation;
    for (size_t axis = 0; axis < type.dims.size(); ++axis) {
      if (type.dims[axis] == ir::Dims::kUnknown)
        type.dims[axis] = value_of(imported.inputs.at(i).dimensions[axis]).value();
    }
    arguments.push_back(interpret::Mixed::of(type));
  }
  return arguments;
}

void expect_no_shape_unknown(const Imported& imported) {
  const auto interpretation = interpret::interpret_mixed(imported.module, 0, arguments_for(imported));
  EXPECT_EQ(interpret::unresolved(imported.module, interpretation), std::vector<std::string>());

  const ir::Function& main = imported.module.entry();
  for (size_t i = 0; i < main.results.size(); ++i) {
    const Port& stated   = imported.outputs[i];
    const ir::Dims& dims = interpretation.entry().values[ir::index(main.results[i])].type.dims;
    if (stated.dimensions.empty()) continue;
    ASSERT_EQ(dims.size(), stated.dimensions.size()) << stated.name;
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      EXPECT_EQ(dims[axis], value_of(stated.dimensions[axis]).value_or(dims[axis])) << stated.name << ", axis " << axis;
    }
  }
}

class RealModel : public ::testing::TestWithParam<std::string> {};

TEST_P(RealModel, HasNoShapeThatStaysUnknown) {
  FOREFLOW_SHARED_OR_SKIP(path, "onnx/models/" + GetParam() + ".onnx");
  expect_no_shape_unknown(import_model(path.string(), ops::table()));
}

INSTANTIATE_TEST_SUITE_P(Every, RealModel,
                         ::testing::Values("gpt2_past_12L", "gpt2_past_mask_1L", "bloom_3L_training", "bert_vespa",
                                           "bert_mlm_vespa", "encdec_encoder_vespa", "llama_fwd_small",
                                           "llama_bwd_small", "light_resnet50", "light_squeezenet", "fastestdet",
                                           "resnet18_ext"),
                         [](const auto& info) { return info.param; });

// GPT-2 and relatives; the large one as `foreflow workload gpt2` writes it.
Imported gpt2(const std::string& name) {
  if (name != "gpt3_175B") return import_model(test::data("onnx/" + name + ".onnx"), ops::table());
  const Gpt2Size size = {.layers = 96, .heads = 96, .hidden = 12288, .positions = 2048};
  return import_bytes(write_gpt2(size), name, ops::table());
}

class Gpt2 : public ::testing::TestWithParam<std::string> {};

TEST_P(Gpt2, HasNoShapeThatStaysUnknown) { expect_no_shape_unknown(gpt2(GetParam())); }

INSTANTIATE_TEST_SUITE_P(Every, Gpt2, ::testing::Values("tiny", "gpt2", "gpt3_175B"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace foreflow::onnx::shapes_test
