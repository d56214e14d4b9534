#include "foreflow/scenario/shapes.h"

#include "foreflow/base/suggestion.h"

namespace foreflow::scenario {
namespace {

size_t input_number(const onnx::Imported& imported, const std::string& name, const std::string& where) {
  std::vector<std::string> names;
  for (size_t i = 0; i < imported.inputs.size(); ++i) {
    if (imported.inputs[i].name == name || imported.inputs[i].value == name) return i;
    names.push_back(imported.inputs[i].name);
  }
  if (names.empty()) throw Error(where, "the model has no input \"" + name + "\", nor any other");
  throw Error(where, "the model has no input \"" + name + "\"" + suggestion(name, names));
}

ir::Value& parameter(ir::Function& function, const std::string& name) {
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    if (function.values[i].name == name) return function.values[i];
  }
  FOREFLOW_CHECK(false, "an imported input is no parameter: " + name);
  return function.values[0];
}

void check_agrees(const ir::Type& stated, const ir::Dims& dims, const std::string& name, const std::string& where) {
  bool agrees = !stated.ranked || stated.dims.size() == dims.size();
  for (size_t i = 0; agrees && stated.ranked && i < dims.size(); ++i) {
    agrees = stated.dims[i] == ir::Dims::kUnknown || stated.dims[i] == dims[i];
  }
  if (agrees) return;
  throw Error(where, "the shape " + ir::to_string(dims) + " of \"" + name + "\" contradicts the model's " +
                         ir::to_string(stated.dims));
}

// Gives the open dimensions of all inputs the sizes of their symbols.
void close_symbols(const onnx::Imported& imported, const InputSizes& sizes, ir::Function& function) {
  const auto known =
      onnx::symbol_sizes(imported.inputs, {sizes.shapes, {}, sizes.dims}, sizes.shapes_place, sizes.dims_place);
  for (const onnx::Port& input : imported.inputs) {
    ir::Value& value = parameter(function, input.value);
    if (value.annotation == nullptr || !value.annotation->is_tensor() || !value.annotation->ranked) continue;
    ir::Type type = *value.annotation;
    for (size_t i = 0; i < type.dims.size() && i < input.dimensions.size(); ++i) {
      const auto size = known.find(input.dimensions[i]);
      if (type.dims[i] == ir::Dims::kUnknown && size != known.end()) type.dims[i] = size->second;
    }
    value.annotation = std::make_shared<const ir::Type>(std::move(type));
  }
}

}  // namespace

ir::Module with_sizes(const onnx::Imported& imported, const InputSizes& sizes) {
  ir::Module module        = imported.module;
  ir::Function& function   = module.functions.back();
  const std::string& where = sizes.shapes_place;
  for (const auto& [name, dims] : sizes.shapes) {
    ir::Value& value = parameter(function, imported.inputs[input_number(imported, name, where)].value);
    if (value.annotation == nullptr || !value.annotation->is_tensor()) {
      throw Error(where,
                  "the model does not state the data type of input \"" + name + "\"; export it again with types");
    }
    check_agrees(*value.annotation, dims, name, where);
    value.annotation =
        std::make_shared<const ir::Type>(ir::Type::tensor(value.annotation->dtype, dims, value.annotation->device));
  }
  close_symbols(imported, sizes, function);
  return module;
}

ir::Module with_shapes(const onnx::Imported& imported, const std::map<std::string, ir::Dims>& shapes,
                       const std::string& where) {
  return with_sizes(imported, {shapes, {}, where, where});
}

}  // namespace foreflow::scenario
