#include "support/imports.h"

#include <utility>

#include "foreflow/onnx/import.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/simplify.h"
#include "support/slopes.h"

namespace foreflow::test {

const std::vector<std::string>& llama_weights() {
  static const std::vector<std::string> kNames = {"input0", "input1", "input2", "input3", "input4", "input5",
                                                  "input6", "input7", "input8", "input9", "input10"};
  return kNames;
}

const std::vector<Imported>& imports() {
  const ir::Dims kImage{1, 3, 64, 64};
  const Shapes kTokens{{"input_ids", {2, 3}}, {"attention_mask", {2, 3}}, {"token_type_ids", {2, 3}}};
  static const std::vector<Imported> kSubjects = {
      {.name = "bert", .file = "bert_vespa.onnx", .shapes = kTokens, .loss = "mean_square"},
      {.name = "bert_mlm", .file = "bert_mlm_vespa.onnx", .shapes = kTokens, .loss = "cross_entropy", .most = 6},
      {.name = "encoder", .file = "encdec_encoder_vespa.onnx", .shapes = kTokens, .loss = "mean_square"},
      {.name  = "detector",
       .file  = "fastestdet.onnx",
       .loss  = "mean_square",
       .sizes = {{352, 32}, {1936, 16}, {484, 4}, {121, 1}, {44, 4}, {22, 2}, {11, 1}},
       .most  = 12},
      {.name = "gpt2_past", .file = "gpt2_past_12L.onnx", .loss = "mean_square", .output = "last_state", .most = 12},
      {.name = "gpt2_mask",
       .file = "gpt2_past_mask_1L.onnx",
       .shapes =
           {{"input_ids", {2, 3}}, {"past_0", {2, 2, 2, 1, 2}}, {"attention_mask", {2, 4}}, {"position_ids", {2, 3}}},
       .loss   = "mean_square",
       .output = "1"},
      {.name    = "llama",
       .file    = "llama_fwd_small.onnx",
       .loss    = "mean_square",
       .divisor = 64,
       .weights = llama_weights(),
       .mask    = "input14"},
      {.name    = "resnet18",
       .file    = "resnet18_ext.onnx",
       .shapes  = {{"input", kImage}},
       .loss    = "cross_entropy",
       .divisor = 16,
       .most    = 12},
      {.name    = "resnet50",
       .file    = "light_resnet50.onnx",
       .shapes  = {{"gpu_0/data_0", kImage}},
       .loss    = "cross_entropy",
       .divisor = 16,
       .most    = 12},
      {.name    = "squeezenet",
       .file    = "light_squeezenet.onnx",
       .shapes  = {{"data_0", kImage}},
       .loss    = "cross_entropy",
       .divisor = 16,
       .axis    = 1,
       .most    = 12},
  };
  return kSubjects;
}

namespace {

// Layers of a network scaled down together: the same divisor for every large dimension, in types and shape constants; a
// pool over the last plane of an image of 224 becomes one over that of a smaller image.
ir::Module shrunk(const ir::Module& module, const Imported& subject) {
  const auto smaller = [&](int64_t dim) {
    const auto other = subject.sizes.find(dim);
    if (other != subject.sizes.end()) return other->second;
    return dim >= 64 && dim % subject.divisor == 0 ? dim / subject.divisor : dim;
  };
  ir::Module result      = module;
  ir::Function& function = result.functions.back();
  // What the file says of the shapes between inputs and results, it says of the batch that it was exported with.
  for (size_t i = function.parameters.size(); i < function.values.size(); ++i) function.values[i].annotation = nullptr;
  for (ir::Value& value : function.values) {
    if (value.annotation == nullptr || !value.annotation->is_tensor()) continue;
    ir::Type type = *value.annotation;
    for (int64_t& dim : type.dims) dim = smaller(dim);
    const auto given = subject.shapes.find(value.name);
    if (given != subject.shapes.end()) type.dims = given->second;
    value.annotation = std::make_shared<const ir::Type>(type);
  }
  for (ir::Op& op : function.ops) {
    ir::Attributes attributes = *op.attributes;
    for (const auto& [name, attribute] : *op.attributes) {
      const auto* array = std::get_if<ir::Array>(&attribute);
      if (array == nullptr || array->dtype() != ir::DType::i64) continue;
      std::vector<int64_t> numbers = array->to_ints();
      for (int64_t& number : numbers) number = smaller(number);
      attributes.set(name, ir::Array::of_ints(array->dims(), numbers));
    }
    if (op.def->name == "AveragePool" && attributes.get_ints("kernel_shape") == std::vector<int64_t>{7, 7}) {
      attributes.set("kernel_shape", std::vector<int64_t>{2, 2});
    }
    op.attributes = std::make_shared<const ir::Attributes>(std::move(attributes));
  }
  return result;
}

// An open batch is 2, other open dimensions 1.
ir::Module with_closed_shapes(ir::Module module) {
  ir::Function& function = module.functions.back();
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    ir::Type type = *function.values[i].annotation;
    bool first    = true;
    for (int64_t& dim : type.dims) {
      if (dim == ir::Dims::kUnknown) dim = std::exchange(first, false) ? 2 : 1;
    }
    function.values[i].annotation = std::make_shared<const ir::Type>(type);
  }
  return module;
}

}  // namespace

ir::Module without_loss(const std::filesystem::path& file, const Imported& subject) {
  const onnx::Imported imported = onnx::import_model(file.string(), ops::table(), onnx::Numbers::skip);
  return in_double(transform::lift_constants(with_closed_shapes(shrunk(imported.module, subject)), ops::table()));
}

ir::Module with_loss(const std::filesystem::path& file, const Imported& subject) {
  return in_double(
      transform::add_loss(without_loss(file, subject), ops::table(), subject.loss, subject.output, subject.axis));
}

}  // namespace foreflow::test
