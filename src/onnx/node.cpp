#include "onnx/node.h"

#include <charconv>

#include "foreflow/ir/names.h"
#include "onnx/message.h"
#include "onnx/tensor.h"

namespace foreflow::onnx {
namespace {

using ir::Attribute;
using onnx_proto::AttributeProto;

// The double with the float's shortest decimal text, so that 1e-5f is printed as 1e-05.
double widen(float value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  double wide    = value;
  std::from_chars(text.data(), end, wide);
  return wide;
}

// Files of IR version 1 state no type; then the field that is filled says it.
AttributeProto::AttributeType kind_of(const AttributeProto& attribute) {
  if (attribute.type() != AttributeProto::UNDEFINED) return attribute.type();
  if (attribute.has_f()) return AttributeProto::FLOAT;
  if (attribute.has_i()) return AttributeProto::INT;
  if (attribute.has_s()) return AttributeProto::STRING;
  if (attribute.has_t()) return AttributeProto::TENSOR;
  if (attribute.has_g()) return AttributeProto::GRAPH;
  if (attribute.floats_size() > 0) return AttributeProto::FLOATS;
  if (attribute.strings_size() > 0) return AttributeProto::STRINGS;
  return AttributeProto::INTS;
}

Attribute read_attribute(const AttributeProto& attribute, const std::string& where) {
  switch (kind_of(attribute)) {
    case AttributeProto::FLOAT: return widen(attribute.f());
    case AttributeProto::INT: return int64_t{attribute.i()};
    case AttributeProto::STRING: return attribute.s();
    case AttributeProto::TENSOR: return to_array(attribute.t(), where);
    case AttributeProto::SPARSE_TENSOR: return to_dense(attribute.sparse_tensor(), where);
    case AttributeProto::INTS: return std::vector<int64_t>(attribute.ints().begin(), attribute.ints().end());
    case AttributeProto::STRINGS:
      return std::vector<std::string>(attribute.strings().begin(), attribute.strings().end());
    case AttributeProto::FLOATS: {
      std::vector<double> values;
      for (const float value : attribute.floats()) values.push_back(widen(value));
      return values;
    }
    case AttributeProto::GRAPH:
    case AttributeProto::GRAPHS:
      throw Error(where, "a subgraph is not supported here; If, Loop and Scan may have them");
    default: throw Error(where, "this kind of attribute is not supported");
  }
}

}  // namespace

std::string where_of(const std::string& file, const onnx_proto::NodeProto& node, int index) {
  const std::string where = file + ": node " + std::to_string(index);
  return node.name().empty() ? where : where + " " + quote(node.name());
}

std::string where_of_body(const std::string& file, const onnx_proto::NodeProto& node, int index,
                          std::string_view body) {
  return where_of(file, node, index) + ": " + std::string(body);
}

ir::Attributes read_attributes(const onnx_proto::NodeProto& node, const std::string& where, Bodies bodies) {
  ir::Attributes attributes;
  for (const AttributeProto& attribute : node.attribute()) {
    if (bodies == Bodies::read_elsewhere && kind_of(attribute) == AttributeProto::GRAPH) continue;
    if (attribute.name().empty()) throw Error(where, "has an attribute without a name");
    if (!ir::is_word(attribute.name())) throw Error(where, quote(attribute.name()) + " cannot name an attribute");
    if (attributes.find(attribute.name()) != nullptr)
      throw Error(where, "has two attributes " + quote(attribute.name()));
    if (!attribute.ref_attr_name().empty())
      throw Error(where, "refers to an attribute of a function; functions are not supported");
    attributes.set(attribute.name(), read_attribute(attribute, where + ": attribute " + quote(attribute.name())));
  }
  return attributes;
}

}  // namespace foreflow::onnx
