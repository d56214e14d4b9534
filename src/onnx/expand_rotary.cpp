// RotaryEmbedding of opset 23 (Su et al., 2021): pairs (x1, x2) of a head's numbers become
// (cos * x1 - sin * x2, sin * x1 + cos * x2).
#include "onnx/expansion.h"

namespace foreflow::onnx::expansions {

using ir::ValueId;

namespace {

// Operands: x[b,s,n*h] or [b,n,s,h], cos[b,s,r/2] or, with positions, [p,r/2], sin, positions[b,s].
constexpr size_t kCosine = 1, kSine = 2, kPositions = 3;

ValueId sliced(const ControlNode& node, ValueId x, int64_t from, int64_t to, int64_t step = 1) {
  return node.op("Slice",
                 {x, integers(node, {from}), integers(node, {to}), integers(node, {-1}), integers(node, {step})});
}

// The number of pairs of a head that are turned; 0 if it is not known.
int64_t pairs(const ControlNode& node) {
  const int64_t part  = node.attributes.int_or("rotary_embedding_dim", 0),
                heads = node.attributes.int_or("num_heads", 0);
  if (part > 0) return part / 2;
  const ValueId x  = node.input(0);
  const auto width = size_of(node, x, -1);
  const auto rank  = rank_of(node, x);
  if (!width || !rank || (*rank == 3 && heads < 1)) return 0;
  return (*rank == 3 ? *width / heads : *width) / 2;
}

// [b,1,s,r/2].
ValueId angles(const ControlNode& node, size_t index, std::string_view what) {
  ValueId table = required(node, index, what);
  if (node.input(kPositions) != ValueId::none)
    table = node.op("Gather", {table, node.input(kPositions)}, {{"axis", int64_t{0}}});
  // A table may hold more angles than are used.
  const int64_t part = node.attributes.int_or("rotary_embedding_dim", 0), wanted = pairs(node);
  const auto angles = size_of(node, table, -1);
  if (angles && wanted > 0 && (part > 0 ? *angles < wanted : *angles != wanted))
    throw Error(node.where, "RotaryEmbedding has " + std::string(what) + " of " + std::to_string(*angles) +
                                " angles; " + std::to_string(wanted) + " would be right");
  if (part > 0 && angles.value_or(wanted) != wanted) table = sliced(node, table, 0, wanted);
  return node.op("Unsqueeze", {table, integers(node, {1})});
}

struct Pair {
  ValueId first, second;
};

Pair pair_of(const ControlNode& node, ValueId x, bool neighbours) {
  if (neighbours) return {sliced(node, x, 0, INT64_MAX, 2), sliced(node, x, 1, INT64_MAX, 2)};
  const auto halves =
      node.emitter.emit(node.where, "Split", {x}, {{"axis", int64_t{-1}}, {"num_outputs", int64_t{2}}}, 2);
  return {halves[0], halves[1]};
}

ValueId joined(const ControlNode& node, Pair pair, bool neighbours) {
  if (!neighbours) return node.op("Concat", {pair.first, pair.second}, {{"axis", int64_t{-1}}});
  const ValueId last = integers(node, {-1});
  const ValueId both =
      node.op("Concat", {node.op("Unsqueeze", {pair.first, last}), node.op("Unsqueeze", {pair.second, last})},
              {{"axis", int64_t{-1}}});
  return reshaped(node, both, {0, 0, 0, -1});
}

ValueId turned(const ControlNode& node, ValueId x) {
  const bool neighbours = node.attributes.int_or("interleaved", 0) != 0;
  const ValueId cosine = angles(node, kCosine, "cos_cache"), sine = angles(node, kSine, "sin_cache");
  const Pair from      = pair_of(node, x, neighbours);
  const ValueId first  = node.op("Sub", {node.op("Mul", {cosine, from.first}), node.op("Mul", {sine, from.second})});
  const ValueId second = node.op("Add", {node.op("Mul", {sine, from.first}), node.op("Mul", {cosine, from.second})});
  return joined(node, {first, second}, neighbours);
}

}  // namespace

std::vector<ValueId> rotary_embedding(const ControlNode& node) {
  const int64_t heads = node.attributes.int_or("num_heads", 0),
                part  = node.attributes.int_or("rotary_embedding_dim", 0);
  const ValueId x     = required(node, 0, "x");
  const bool packed   = rank_of(node, x).value_or(heads > 0 ? 3 : 4) == 3;
  if (packed && heads < 1)
    throw Error(node.where, "RotaryEmbedding of x[b,s,n*h] needs num_heads; it is " + std::to_string(heads));
  const ValueId by_head = packed ? split_heads(node, x, heads) : x;
  ValueId result        = ValueId::none;
  if (part > 0 && size_of(node, by_head, -1) != part) {
    const ValueId turning = turned(node, sliced(node, by_head, 0, part));
    result = node.op("Concat", {turning, sliced(node, by_head, part, INT64_MAX)}, {{"axis", int64_t{-1}}});
  } else {
    result = turned(node, by_head);
  }
  return {packed ? merge_heads(node, result) : result};
}

}  // namespace foreflow::onnx::expansions
