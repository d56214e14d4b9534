#include "scenario/sequential/program.h"

#include <algorithm>

#include "foreflow/ir/half.h"
#include "foreflow/ir/shared_attributes.h"

namespace foreflow::scenario {
namespace {

using ir::DType;

ir::Type retyped(ir::Type type, DType dtype) {
  const bool number = type.kind == ir::Type::Kind::scalar || type.is_tensor();
  if (number && type.dtype == DType::f32) type.dtype = dtype;
  for (ir::Type& element : type.elements) element = retyped(std::move(element), dtype);
  return type;
}

template <class T, class F>
ir::Array converted(const ir::Array& array, DType dtype, F convert) {
  std::vector<T> values;
  for (const float value : array.data<float>()) values.push_back(static_cast<T>(convert(value)));
  return ir::Array::of<T>(dtype, array.dims(), values);
}

ir::Array retyped(const ir::Array& array, DType dtype) {
  if (array.is_tuple() || array.dtype() != DType::f32) return array;
  switch (dtype) {
    case DType::f64: return converted<double>(array, dtype, [](float value) { return value; });
    case DType::f16: return converted<uint16_t>(array, dtype, ir::float_to_half);
    case DType::bf16: return converted<uint16_t>(array, dtype, ir::float_to_bfloat);
    case DType::f8: return converted<uint8_t>(array, dtype, ir::float_to_float8);
    default: return array;
  }
}

ir::Attributes retyped(const ir::Attributes& attributes, DType dtype) {
  ir::Attributes result;
  for (const auto& [name, value] : attributes) {
    if (const auto* array = std::get_if<ir::Array>(&value)) {
      result.set(name, retyped(*array, dtype));
    } else if (const auto* word = std::get_if<std::string>(&value); word != nullptr && *word == ir::name(DType::f32)) {
      result.set(name, std::string(ir::name(dtype)));  // Cast[to = "Float32"]
    } else {
      result.set(name, value);
    }
  }
  return result;
}

bool placed(const ir::Type& type) {
  return type.device.placed() || std::any_of(type.elements.begin(), type.elements.end(),
                                             [](const ir::Type& element) { return placed(element); });
}

}  // namespace

ir::Module with_dtype(const ir::Module& module, DType dtype) {
  if (dtype == DType::f32) return module;
  ir::Module result = module;
  ir::SharedAttributes shared;
  for (ir::Function& function : result.functions) {
    for (ir::Value& value : function.values) {
      if (value.annotation != nullptr)
        value.annotation = std::make_shared<const ir::Type>(retyped(*value.annotation, dtype));
    }
    for (ir::Op& op : function.ops) op.attributes = shared(retyped(*op.attributes, dtype));
  }
  return result;
}

bool is_placed(const ir::Module& module) {
  for (const ir::Function& function : module.functions) {
    for (const ir::Value& value : function.values) {
      if (value.annotation != nullptr && placed(*value.annotation)) return true;
    }
    for (const ir::Op& op : function.ops) {
      if (!op.is_call() && op.def->role == ir::Role::communication) return true;
    }
  }
  return false;
}

ir::Module ending_at(const ir::Module& module, size_t number) {
  ir::Module result = module;
  result.functions.resize(number + 1);
  return result;
}

}  // namespace foreflow::scenario
