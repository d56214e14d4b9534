// Operators of ONNX Runtime on linearly quantised tensors, written as DequantizeLinear, the operator on real numbers
// and QuantizeLinear; and products of bytes with a scaled result.
#include "onnx/expansion.h"

namespace foreflow::onnx::expansions {

using ir::Attributes;
using ir::ValueId;

namespace {

// Scales of columns lie along `axis`.
ValueId real(const ControlNode& node, size_t x, size_t scale, size_t zero, int64_t axis = 1) {
  std::vector<ValueId> operands{required(node, x, "a tensor"), required(node, scale, "its scale")};
  if (node.input(zero) != ValueId::none) operands.push_back(node.input(zero));
  return node.op("DequantizeLinear", operands, {{"axis", axis}});
}

ValueId quantised(const ControlNode& node, ValueId x, size_t scale, size_t zero) {
  std::vector<ValueId> operands{x, required(node, scale, "the scale of the result")};
  if (node.input(zero) != ValueId::none) operands.push_back(node.input(zero));
  return node.op("QuantizeLinear", operands);
}

std::vector<ValueId> binary(const ControlNode& node, std::string_view op) {
  return {quantised(node, node.op(op, {real(node, 0, 1, 2), real(node, 3, 4, 5)}), 6, 7)};
}

// Operands: x, its scale and zero point, those of the result.
std::vector<ValueId> unary(const ControlNode& node, std::string_view op, const Attributes& attributes = {}) {
  return {quantised(node, node.op(op, {real(node, 0, 1, 2)}, attributes), 3, 4)};
}

Attributes without(const Attributes& attributes, std::initializer_list<std::string_view> names) {
  Attributes rest = attributes;
  for (const std::string_view name : names) rest.erase(name);
  return rest;
}

void refuse_last_channels(const ControlNode& node) {
  if (node.attributes.int_or("channels_last", 0) != 0)
    throw Error(node.where, node.proto.op_type() + " with channels_last is not supported");
}

ValueId plus_bias(const ControlNode& node, ValueId x, size_t bias) {
  return node.input(bias) == ValueId::none ? x : node.op("Add", {x, node.input(bias)});
}

// The product of bytes as floats, times the scales of both.
ValueId scaled_product(const ControlNode& node, const std::vector<ValueId>& operands, ValueId scale, ValueId other) {
  const ValueId sums = node.op("MatMulInteger", operands);
  return node.op("Mul", {node.op("Cast", {sums}, {{"to", std::string(ir::name(ir::DType::f32))}}),
                         node.op("Mul", {scale, other})});
}

}  // namespace

std::vector<ValueId> qlinear_add(const ControlNode& node) { return binary(node, "Add"); }
std::vector<ValueId> qlinear_mul(const ControlNode& node) { return binary(node, "Mul"); }
std::vector<ValueId> qlinear_sigmoid(const ControlNode& node) { return unary(node, "Sigmoid"); }
std::vector<ValueId> qlinear_leaky_relu(const ControlNode& node) {
  return unary(node, "LeakyRelu", {{"alpha", node.attributes.float_or("alpha", 0.01)}});
}
// As Softmax of opset `opset`, where until 12 the tensor is a matrix whose columns begin at `axis`; but the axis is the
// last by default in all.
std::vector<ValueId> qlinear_softmax(const ControlNode& node) {
  Attributes attributes{{"axis", node.attributes.int_or("axis", -1)}};
  if (node.attributes.get_int("opset") < 13) attributes.set("flatten", int64_t{1});
  return unary(node, "Softmax", attributes);
}
std::vector<ValueId> qlinear_global_average_pool(const ControlNode& node) {
  refuse_last_channels(node);
  return unary(node, "GlobalAveragePool");
}
std::vector<ValueId> qlinear_average_pool(const ControlNode& node) {
  refuse_last_channels(node);
  return unary(node, "AveragePool", without(node.attributes, {"channels_last"}));
}

// Operands: scale and zero point of the result, then x, scale and zero point of each part.
std::vector<ValueId> qlinear_concat(const ControlNode& node) {
  std::vector<ValueId> parts;
  for (size_t i = 2; i + 2 < node.inputs.size(); i += 3) parts.push_back(real(node, i, i + 1, i + 2));
  return {quantised(node, node.op("Concat", parts, {{"axis", node.attributes.int_or("axis", 0)}}), 0, 1)};
}

// Operands: a, its scale and zero point, b likewise, c (sums of products), scale and zero point of the result, without
// which it is a float.
std::vector<ValueId> qgemm(const ControlNode& node) {
  const double alpha = node.attributes.float_or("alpha", 1);
  const Attributes transposed{{"transA", node.attributes.int_or("transA", 0)},
                              {"transB", node.attributes.int_or("transB", 0)},
                              {"alpha", alpha}};
  const int64_t columns = node.attributes.int_or("transB", 0) != 0 ? 0 : 1;
  std::vector<ValueId> operands{real(node, 0, 1, 2), real(node, 3, 4, 5, columns)};
  if (node.input(6) != ValueId::none) {
    const ValueId sums  = node.op("Cast", {node.input(6)}, {{"to", std::string(ir::name(ir::DType::f32))}});
    const ValueId scale = node.op("Mul", {node.input(1), node.input(4)});
    operands.push_back(node.op("Mul", {sums, node.op("Mul", {scale, scalar_like(node, alpha, scale)})}));
  }
  const ValueId y = node.op("Gemm", operands, transposed);
  return {node.input(7) == ValueId::none ? y : quantised(node, y, 7, 8)};
}

// Operands: a (floats), b, its scale and zero point, bias.
std::vector<ValueId> dynamic_quantize_matmul(const ControlNode& node) {
  const auto a = node.emitter.emit(node.where, "DynamicQuantizeLinear", {required(node, 0, "A")}, {}, 3);
  std::vector<ValueId> operands{a[0], required(node, 1, "B"), a[2]};
  if (node.input(3) != ValueId::none) operands.push_back(node.input(3));
  return {plus_bias(node, scaled_product(node, operands, a[1], required(node, 2, "b_scale")), 4)};
}

// Operands: a, b, their scales, their zero points, bias.
std::vector<ValueId> matmul_integer_to_float(const ControlNode& node) {
  std::vector<ValueId> operands{required(node, 0, "A"), required(node, 1, "B"), node.input(4), node.input(5)};
  while (operands.back() == ValueId::none) operands.pop_back();
  return {
      plus_bias(node, scaled_product(node, operands, required(node, 2, "a_scale"), required(node, 3, "b_scale")), 6)};
}

// Operands: x, weights, bias, their scales, mask, their zero points, past: the attention of real numbers.
std::vector<ValueId> qattention(const ControlNode& node) {
  std::vector<ValueId> operands{real(node, 0, 3, 6), real(node, 1, 4, 7), node.input(2), node.input(5), node.input(8)};
  while (operands.back() == ValueId::none) operands.pop_back();
  return node.emitter.emit(node.where, "Attention", operands, node.attributes,
                           static_cast<size_t>(node.proto.output_size()));
}

}  // namespace foreflow::onnx::expansions
