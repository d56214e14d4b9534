#include "onnx/expansion.h"

#include <algorithm>
#include <array>

#include "foreflow/base/nth.h"
#include "onnx/support.h"

namespace foreflow::onnx {

using ir::Array;
using ir::ValueId;

namespace {

constexpr std::string_view kOnnxRuntime = "com.microsoft";

struct ExpansionRow {
  std::string_view domain, op;
  Expand expand;
};

constexpr std::array kExpansions = {
    ExpansionRow{"", "AffineGrid", expansions::affine_grid},
    ExpansionRow{"", "Attention", expansions::attention},
    ExpansionRow{"", "ConcatFromSequence", expansions::concat_from_sequence},
    ExpansionRow{"", "LpNormalization", expansions::lp_normalization},
    ExpansionRow{"", "Optional", expansions::optional_value},
    ExpansionRow{"", "OptionalGetElement", expansions::optional_value},
    ExpansionRow{"", "OptionalHasElement", expansions::optional_has_element},
    ExpansionRow{"", "RotaryEmbedding", expansions::rotary_embedding},
    ExpansionRow{"", "SequenceAt", expansions::sequence_at},
    ExpansionRow{"", "SequenceConstruct", expansions::sequence_construct},
    ExpansionRow{"", "SequenceEmpty", expansions::sequence_empty},
    ExpansionRow{"", "SequenceErase", expansions::sequence_erase},
    ExpansionRow{"", "SequenceInsert", expansions::sequence_insert},
    ExpansionRow{"", "SequenceLength", expansions::sequence_length},
    ExpansionRow{"", "SplitToSequence", expansions::split_to_sequence},
    ExpansionRow{kOnnxRuntime, "DynamicQuantizeMatMul", expansions::dynamic_quantize_matmul},
    ExpansionRow{kOnnxRuntime, "GroupNorm", expansions::group_norm},
    ExpansionRow{kOnnxRuntime, "MatMulIntegerToFloat", expansions::matmul_integer_to_float},
    ExpansionRow{kOnnxRuntime, "PackedAttention", expansions::packed_attention},
    ExpansionRow{kOnnxRuntime, "QAttention", expansions::qattention},
    ExpansionRow{kOnnxRuntime, "QGemm", expansions::qgemm},
    ExpansionRow{kOnnxRuntime, "QLinearAdd", expansions::qlinear_add},
    ExpansionRow{kOnnxRuntime, "QLinearAveragePool", expansions::qlinear_average_pool},
    ExpansionRow{kOnnxRuntime, "QLinearConcat", expansions::qlinear_concat},
    ExpansionRow{kOnnxRuntime, "QLinearGlobalAveragePool", expansions::qlinear_global_average_pool},
    ExpansionRow{kOnnxRuntime, "QLinearLeakyRelu", expansions::qlinear_leaky_relu},
    ExpansionRow{kOnnxRuntime, "QLinearMul", expansions::qlinear_mul},
    ExpansionRow{kOnnxRuntime, "QLinearSigmoid", expansions::qlinear_sigmoid},
    ExpansionRow{kOnnxRuntime, "QLinearSoftmax", expansions::qlinear_softmax},
    ExpansionRow{kOnnxRuntime, "RemovePadding", expansions::remove_padding},
};

}  // namespace

Expand find_expansion(std::string_view domain, std::string_view op) {
  const auto row = std::find_if(kExpansions.begin(), kExpansions.end(),
                                [&](const ExpansionRow& r) { return r.domain == domain && r.op == op; });
  return row == kExpansions.end() ? nullptr : row->expand;
}

bool has_expansions(const onnx_proto::GraphProto& graph) {
  return std::any_of(graph.node().begin(), graph.node().end(), [](const auto& node) {
    return find_expansion(canonical_domain(node.domain()), node.op_type()) != nullptr;
  });
}

namespace expansions {

ir::DType dtype_of(const ControlNode& node, ValueId id) {
  const ir::Type& type = node.emitter.type(id);
  return type.kind == ir::Type::Kind::unknown ? ir::DType::f32 : type.dtype;
}

std::optional<size_t> rank_of(const ControlNode& node, ValueId id) {
  const ir::Type& type = node.emitter.type(id);
  return type.is_tensor() && type.ranked ? std::optional(type.dims.size()) : std::nullopt;
}

std::optional<int64_t> size_of(const ControlNode& node, ValueId id, int64_t axis) {
  const auto rank = rank_of(node, id);
  if (!rank) return std::nullopt;
  const int64_t place = axis < 0 ? axis + static_cast<int64_t>(*rank) : axis;
  if (place < 0 || place >= static_cast<int64_t>(*rank)) return std::nullopt;
  const int64_t size = nth(node.emitter.type(id).dims, place);
  return size < 0 ? std::nullopt : std::optional(size);
}

ValueId scalar_like(const ControlNode& node, double number, ValueId like) {
  const ir::DType dtype  = dtype_of(node, like);
  const ValueId constant = node.emitter.constant(Array::scalar(static_cast<float>(number)));
  return dtype == ir::DType::f32 ? constant : node.op("Cast", {constant}, {{"to", std::string(ir::name(dtype))}});
}

ValueId integers(const ControlNode& node, const Ints& numbers) {
  return node.emitter.constant(Array::of_ints({static_cast<int64_t>(numbers.size())}, numbers));
}

ValueId required(const ControlNode& node, size_t index, std::string_view what) {
  if (node.input(index) == ValueId::none)
    throw Error(node.where,
                node.proto.op_type() + " needs operand " + std::to_string(index) + ", " + std::string(what));
  return node.input(index);
}

ValueId reshaped(const ControlNode& node, ValueId x, const Ints& shape) {
  return node.op("Reshape", {x, integers(node, shape)});
}

ValueId transposed(const ControlNode& node, ValueId x, const Ints& order) {
  return node.op("Transpose", {x}, {{"perm", order}});
}

ValueId size_at(const ControlNode& node, ValueId x, int64_t axis) {
  return node.op("Shape", {x}, {{"start", axis}, {"end", axis + 1}});
}

ValueId split_heads(const ControlNode& node, ValueId x, int64_t heads) {
  return transposed(node, reshaped(node, x, {0, 0, heads, -1}), {0, 2, 1, 3});
}

ValueId merge_heads(const ControlNode& node, ValueId x) {
  return reshaped(node, transposed(node, x, {0, 2, 1, 3}), {0, 0, -1});
}

}  // namespace expansions

}  // namespace foreflow::onnx
