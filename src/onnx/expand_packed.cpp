// Transformers without their padding, as ONNX Runtime writes them: the tokens of all samples stand one behind the
// other.
#include <algorithm>

#include "onnx/expansion.h"

namespace foreflow::onnx::expansions {

using ir::Array;
using ir::ValueId;

// Operands: x[t,i], weights[i,q+k+v], bias[q+k+v], token_offset, cumulative_sequence_length, attention_bias. The bias
// is added inside the attention, as ONNX Runtime does.
std::vector<ValueId> packed_attention(const ControlNode& node) {
  const ValueId all = node.op("MatMul", {required(node, 0, "x"), required(node, 1, "weights")});
  ir::Attributes split{{"axis", int64_t{1}}}, attributes = node.attributes;
  std::vector<ValueId> parts{all};
  if (const auto sizes = node.attributes.find_ints("qkv_hidden_sizes"); sizes && !sizes->empty()) {
    if (sizes->size() != 3) throw Error(node.where, "qkv_hidden_sizes should be three numbers");
    parts.push_back(integers(node, Ints(sizes->begin(), sizes->end())));
  } else {
    split.set("num_outputs", int64_t{3});
  }
  attributes.erase("qkv_hidden_sizes");
  std::vector<ValueId> operands = node.emitter.emit(node.where, "Split", parts, split, 3);
  for (size_t i = 2; i < 6; ++i) operands.push_back(node.input(i));
  while (operands.back() == ValueId::none) operands.pop_back();
  return {node.op("PackedMultiHeadAttention", operands, attributes)};
}

// Operands: x[b,s,h], the number of tokens of every sample. The number of all tokens is a size of what follows: where
// the numbers are known, they become constants, and with them what follows from them alone.
std::vector<ValueId> remove_padding(const ControlNode& node) {
  const ValueId x = required(node, 0, "x"), counts = required(node, 1, "sequence_token_count");
  const auto results   = static_cast<size_t>(std::max(node.proto.output_size(), 1));
  const Array* numbers = node.emitter.numbers(counts);
  if (numbers == nullptr) return node.emitter.emit(node.where, "RemovePadding", {x, counts}, {}, results);
  Ints bounds{0};
  int64_t longest = 0;
  for (const int64_t count : numbers->to_ints()) {
    bounds.push_back(bounds.back() + count);
    longest = std::max(longest, count);
  }
  const auto integers_of = [&](const Ints& list) {
    return node.op("Cast", {integers(node, list)}, {{"to", std::string(ir::name(ir::DType::i32))}});
  };
  const ValueId known = node.emitter.constant(*numbers);
  std::vector<ValueId> removed =
      node.emitter.emit(node.where, "RemovePadding", {x, known}, {}, std::min<size_t>(results, 2));
  if (results > 2) removed.push_back(integers_of(bounds));
  if (results > 3) removed.push_back(integers_of({longest}));
  return removed;
}

}  // namespace foreflow::onnx::expansions
