// Rules for ops whose attributes hold data types or numbers.
#include <optional>

#include "onnx/dtype.h"
#include "onnx/normalise.h"

namespace foreflow::onnx::rules {
namespace {

using ir::Array;
using ir::Attribute;
using ir::Attributes;

// An attribute with ONNX's number for a data type becomes the type's name.
void name_dtype(Node& node, std::string_view attribute) {
  const Attribute* value = node.attributes.find(attribute);
  if (value == nullptr || !std::holds_alternative<int64_t>(*value)) return;
  const int64_t number = std::get<int64_t>(*value);
  const auto dtype     = find_dtype(number);
  if (!dtype)
    throw Error(node.where, std::string(attribute) + " " + dtype_text(number) + ": this data type is not supported");
  node.attributes.set(std::string(attribute), std::string(ir::name(*dtype)));
}

std::vector<float> to_floats(const std::vector<double>& values) { return {values.begin(), values.end()}; }

std::optional<Array> constant_value(const Node& node) {
  for (const auto& [name, value] : node.attributes) {
    if (name == "value" || name == "sparse_value") {
      if (const Array* array = std::get_if<Array>(&value)) return *array;
    }
    if (name == "value_int") return Array::scalar(std::get<int64_t>(value));
    if (name == "value_float") return Array::scalar(static_cast<float>(std::get<double>(value)));
    if (name == "value_ints") {
      const auto& ints = std::get<std::vector<int64_t>>(value);
      return Array::of_ints({static_cast<int64_t>(ints.size())}, ints);
    }
    if (name == "value_floats") {
      const auto& floats = std::get<std::vector<double>>(value);
      return Array::of_floats({static_cast<int64_t>(floats.size())}, to_floats(floats));
    }
  }
  return std::nullopt;
}

}  // namespace

// value_int(s), value_float(s) and sparse_value (opset 12) become `value`.
void constant(Node& node, const RankOf&) {
  std::optional<Array> value;
  try {
    value = constant_value(node);
  } catch (const std::bad_variant_access&) {
    throw Error(node.where, "the constant's value is not of the kind that its attribute's name says");
  }
  if (!value)
    throw Error(node.where,
                "a Constant needs a value of numbers (value, value_int, value_ints, value_float or value_floats)");
  node.attributes = Attributes{{"value", *value}};
}

// Opset 1 names the type ("FLOAT"), later ones number it.
void cast(Node& node, const RankOf&) {
  name_dtype(node, "to");
  const Attribute* to = node.attributes.find("to");
  if (to == nullptr || !std::holds_alternative<std::string>(*to))
    throw Error(node.where, "a Cast needs the attribute to, a data type");
  const std::string text = std::get<std::string>(*to);
  if (ir::find_dtype(text)) return;
  for (int64_t number = 1; number < 32; ++number) {
    if (dtype_text(number) == text && find_dtype(number)) {
      node.attributes.set("to", std::string(ir::name(*find_dtype(number))));
      return;
    }
  }
  throw Error(node.where, "to " + text + ": this data type is not supported");
}

// The axis is an operand since opset 20, with another default.
void dft(Node& node, const RankOf&) {
  const bool has_operand = node.inputs.size() > 2 && !node.inputs[2].empty();
  if (node.opset >= 20 && !has_operand) node.attributes.set("axis", int64_t{-2});
}

void data_type(Node& node, const RankOf&) { name_dtype(node, "dtype"); }

// 0 says that the zero point has the type.
void output_dtype(Node& node, const RankOf&) {
  if (node.attributes.int_or("output_dtype", 0) == 0) node.attributes.erase("output_dtype");
  name_dtype(node, "output_dtype");
}

void output_data_type(Node& node, const RankOf&) { name_dtype(node, "output_datatype"); }

// If the file states no seed, it is derived from the name of the result. Different nodes then draw different numbers,
// and every run draws the same.
void random(Node& node, const RankOf&) {
  name_dtype(node, "dtype");
  if (node.attributes.find("seed") != nullptr || node.outputs.empty()) return;
  uint32_t hash = 2166136261U;  // FNV-1a
  for (const char c : node.outputs[0]) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  node.attributes.set("seed", int64_t{hash});
}

}  // namespace foreflow::onnx::rules
