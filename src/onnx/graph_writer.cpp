#include "onnx/graph_writer.h"

#include "onnx/dtype.h"
#include "onnx/proto.h"
#include "onnx/tensor.h"

namespace foreflow::onnx {
namespace {

using onnx_proto::AttributeProto;

void set_attribute(AttributeProto& proto, const GraphWriter::Attribute& attribute) {
  proto.set_name(attribute.first);
  if (const auto* number = std::get_if<int64_t>(&attribute.second)) {
    proto.set_type(AttributeProto::INT);
    proto.set_i(*number);
  } else if (const auto* real = std::get_if<float>(&attribute.second)) {
    proto.set_type(AttributeProto::FLOAT);
    proto.set_f(*real);
  } else if (const auto* numbers = std::get_if<std::vector<int64_t>>(&attribute.second)) {
    proto.set_type(AttributeProto::INTS);
    for (const int64_t item : *numbers) proto.add_ints(item);
  } else {
    proto.set_type(AttributeProto::TENSOR);
    set_tensor(*proto.mutable_t(), std::get<ir::Array>(attribute.second));
  }
}

void set_port(onnx_proto::ValueInfoProto& port, const std::string& name, ir::DType dtype,
              const std::vector<Dimension>& dims) {
  port.set_name(name);
  auto& tensor = *port.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(number_of(dtype));
  for (const Dimension& dim : dims) {
    auto& proto = *tensor.mutable_shape()->add_dim();
    if (const auto* number = std::get_if<int64_t>(&dim)) {
      proto.set_dim_value(*number);
    } else {
      proto.set_dim_param(std::get<std::string>(dim));
    }
  }
}

}  // namespace

GraphWriter::GraphWriter(const std::string& name, int64_t opset) : graph_(*model_.mutable_graph()) {
  model_.set_ir_version(6);
  model_.set_producer_name("foreflow");
  auto& import = *model_.add_opset_import();
  import.set_domain("");
  import.set_version(opset);
  graph_.set_name(name);
}

std::vector<std::string> GraphWriter::node(const std::string& op, const std::vector<std::string>& inputs,
                                           const std::vector<Attribute>& attributes, size_t outputs) {
  const std::string name = op + "_" + std::to_string(graph_.node_size());
  auto& node             = *graph_.add_node();
  node.set_name(name);
  node.set_op_type(op);
  for (const std::string& input : inputs) node.add_input(input);
  for (const Attribute& attribute : attributes) set_attribute(*node.add_attribute(), attribute);
  for (size_t i = 0; i < outputs; ++i)
    node.add_output(outputs == 1 ? name + "_out" : name + "_out_" + std::to_string(i));
  return {node.output().begin(), node.output().end()};
}

std::string GraphWriter::node(const std::string& op, const std::vector<std::string>& inputs,
                              const std::vector<Attribute>& attributes) {
  return node(op, inputs, attributes, 1).front();
}

std::string GraphWriter::constant(const ir::Array& value) { return node("Constant", {}, {{"value", value}}); }

std::string GraphWriter::literal(const ir::Array& value) {
  auto& tensor = *graph_.add_initializer();
  set_tensor(tensor, value);
  tensor.set_name("const_" + std::to_string(++literals_));
  return tensor.name();
}

std::string GraphWriter::weight(const std::string& name, const std::vector<int64_t>& dims) {
  auto& tensor = *graph_.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(number_of(ir::DType::f32));
  for (const int64_t dim : dims) tensor.add_dims(dim);
  tensor.set_data_location(onnx_proto::TensorProto::EXTERNAL);
  auto& location = *tensor.add_external_data();
  location.set_key("location");
  location.set_value("weights.bin");
  return name;
}

std::string GraphWriter::input(const std::string& name, ir::DType dtype, const std::vector<Dimension>& dims) {
  set_port(*graph_.add_input(), name, dtype, dims);
  return name;
}

void GraphWriter::output(const std::string& name, ir::DType dtype, const std::vector<Dimension>& dims) {
  set_port(*graph_.add_output(), name, dtype, dims);
}

std::string GraphWriter::finish() const { return print_message(model_); }

}  // namespace foreflow::onnx
