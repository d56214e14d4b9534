// Operators that no row of the op table is: the importer writes them with ops that are rows, so that gradients, splits
// and costs are those of the ops that they consist of.
#pragma once

#include "onnx/control_flow.h"

namespace foreflow::onnx {

// Null if the operator is a row, or is not known.
Expand find_expansion(std::string_view domain, std::string_view op);

// Returns true if a node of the graph is such an operator.
bool has_expansions(const onnx_proto::GraphProto& graph);

namespace expansions {

std::vector<ir::ValueId> affine_grid(const ControlNode& node);
std::vector<ir::ValueId> attention(const ControlNode& node);
std::vector<ir::ValueId> concat_from_sequence(const ControlNode& node);
std::vector<ir::ValueId> dynamic_quantize_matmul(const ControlNode& node);
std::vector<ir::ValueId> group_norm(const ControlNode& node);
std::vector<ir::ValueId> lp_normalization(const ControlNode& node);
std::vector<ir::ValueId> matmul_integer_to_float(const ControlNode& node);
std::vector<ir::ValueId> optional_has_element(const ControlNode& node);
std::vector<ir::ValueId> optional_value(const ControlNode& node);
std::vector<ir::ValueId> packed_attention(const ControlNode& node);
std::vector<ir::ValueId> qattention(const ControlNode& node);
std::vector<ir::ValueId> qgemm(const ControlNode& node);
std::vector<ir::ValueId> qlinear_add(const ControlNode& node);
std::vector<ir::ValueId> qlinear_average_pool(const ControlNode& node);
std::vector<ir::ValueId> qlinear_concat(const ControlNode& node);
std::vector<ir::ValueId> qlinear_global_average_pool(const ControlNode& node);
std::vector<ir::ValueId> qlinear_leaky_relu(const ControlNode& node);
std::vector<ir::ValueId> qlinear_mul(const ControlNode& node);
std::vector<ir::ValueId> qlinear_sigmoid(const ControlNode& node);
std::vector<ir::ValueId> qlinear_softmax(const ControlNode& node);
std::vector<ir::ValueId> remove_padding(const ControlNode& node);
std::vector<ir::ValueId> rotary_embedding(const ControlNode& node);
std::vector<ir::ValueId> sequence_at(const ControlNode& node);
std::vector<ir::ValueId> sequence_construct(const ControlNode& node);
std::vector<ir::ValueId> sequence_empty(const ControlNode& node);
std::vector<ir::ValueId> sequence_erase(const ControlNode& node);
std::vector<ir::ValueId> sequence_insert(const ControlNode& node);
std::vector<ir::ValueId> sequence_length(const ControlNode& node);
std::vector<ir::ValueId> split_to_sequence(const ControlNode& node);

// --- what they are written with

using Ints = std::vector<int64_t>;

// The data type of a value; f32 if it is not known.
ir::DType dtype_of(const ControlNode& node, ir::ValueId id);
// The number of dimensions, if it is known.
std::optional<size_t> rank_of(const ControlNode& node, ir::ValueId id);
// Dimension `axis` (negative: from the last), if it is known.
std::optional<int64_t> size_of(const ControlNode& node, ir::ValueId id, int64_t axis);
// A constant of one element in the data type of `like`.
ir::ValueId scalar_like(const ControlNode& node, double number, ir::ValueId like);
// A list of integers as an operand.
ir::ValueId integers(const ControlNode& node, const Ints& numbers);
// The operand. Throws Error at node.where if it is absent; `what` names it.
ir::ValueId required(const ControlNode& node, size_t index, std::string_view what);

ir::ValueId reshaped(const ControlNode& node, ir::ValueId x, const Ints& shape);
ir::ValueId transposed(const ControlNode& node, ir::ValueId x, const Ints& order);
// Dimension `axis` of x as a list of one number.
ir::ValueId size_at(const ControlNode& node, ir::ValueId x, int64_t axis);
// x[b,s,n*h] as [b,n,s,h], and back.
ir::ValueId split_heads(const ControlNode& node, ir::ValueId x, int64_t heads);
ir::ValueId merge_heads(const ControlNode& node, ir::ValueId x);

}  // namespace expansions

}  // namespace foreflow::onnx
