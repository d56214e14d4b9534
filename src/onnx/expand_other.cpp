// Further operators that consist of others.
#include "onnx/expansion.h"

namespace foreflow::onnx::expansions {

using ir::ValueId;

// x / |x| along an axis, with the norm of order 1 or 2.
std::vector<ValueId> lp_normalization(const ControlNode& node) {
  const ValueId x     = required(node, 0, "x");
  const int64_t order = node.attributes.int_or("p", 2);
  if (order != 1 && order != 2)
    throw Error(node.where, "LpNormalization with p = " + std::to_string(order) + "; 1 or 2 would be right");
  const ValueId axes = integers(node, {node.attributes.int_or("axis", -1)});
  const ValueId norm = node.op(order == 1 ? "ReduceL1" : "ReduceL2", {x, axes}, {{"keepdims", int64_t{1}}});
  return {node.op("Div", {x, norm})};
}

// GroupNorm of com.microsoft: x[n,h,w,c], or [n,c,h,w] with channels_last = 0, and perhaps x * sigmoid(x) of the
// result.
std::vector<ValueId> group_norm(const ControlNode& node) {
  const bool last = node.attributes.int_or("channels_last", 1) != 0;
  ValueId x       = required(node, 0, "x");
  if (last) x = transposed(node, x, {0, 3, 1, 2});
  const ir::Attributes attributes{{"num_groups", node.attributes.get_int("groups")},
                                  {"epsilon", node.attributes.float_or("epsilon", 1e-5)}};
  ValueId y = node.op("GroupNormalization", {x, required(node, 1, "gamma"), required(node, 2, "beta")}, attributes);
  if (node.attributes.int_or("activation", 0) != 0) y = node.op("QuickGelu", {y}, {{"alpha", 1.0}});
  return {last ? transposed(node, y, {0, 2, 3, 1}) : y};
}

namespace {

// Emits the positions, in [-1, 1], of the pixels along dimension `dim` of `size`: those of their centres, or with
// align_corners those for which the first and the last pixel are at -1 and 1.
ValueId places(const ControlNode& node, ValueId size, int64_t dim, ValueId like) {
  const ValueId count = node.op("Squeeze", {node.op("Gather", {size, integers(node, {dim})}, {{"axis", int64_t{0}}})});
  const ValueId zero  = node.emitter.constant(ir::Array::scalar(int64_t{0})),
                one   = node.emitter.constant(ir::Array::scalar(int64_t{1}));
  const ir::Attributes to{{"to", std::string(ir::name(dtype_of(node, like)))}};
  const ValueId steps = node.op("Cast", {node.op("Range", {zero, count, one})}, to), n = node.op("Cast", {count}, to);
  const ValueId two = scalar_like(node, 2, like), unit = scalar_like(node, 1, like);
  const bool corners    = node.attributes.int_or("align_corners", 0) != 0;
  const ValueId doubled = node.op("Mul", {steps, two});
  const ValueId from    = corners ? doubled : node.op("Add", {doubled, unit});
  return node.op("Sub", {node.op("Div", {from, corners ? node.op("Sub", {n, unit}) : n}), unit});
}

}  // namespace

// theta[n,2,3] and a size (n,c,h,w), or theta[n,3,4] and (n,c,d,h,w): the points theta (x, y, .., 1) of every pixel.
std::vector<ValueId> affine_grid(const ControlNode& node) {
  const ValueId theta = required(node, 0, "theta"), size = required(node, 1, "size");
  const auto rank = size_of(node, theta, 1);
  if (!rank || (*rank != 2 && *rank != 3))
    throw Error(node.where, "AffineGrid needs a theta whose shape, [n,2,3] or [n,3,4], is known");
  const ValueId spatial = node.op("Slice", {size, integers(node, {2}), integers(node, {2 + *rank})});
  std::vector<ValueId> coordinates;  // x first, which is the last dimension
  for (int64_t i = *rank - 1; i >= 0; --i) {
    Ints axes;
    for (int64_t d = i + 1; d < *rank; ++d) axes.push_back(d - i);
    ValueId place = places(node, size, 2 + i, theta);
    if (!axes.empty()) place = node.op("Unsqueeze", {place, integers(node, axes)});
    coordinates.push_back(reshaped(node, node.op("Expand", {place, spatial}), {1, -1}));
  }
  const ValueId points = node.op("Concat", coordinates, {{"axis", int64_t{0}}});
  const ValueId linear = node.op("Slice", {theta, integers(node, {0}), integers(node, {*rank}), integers(node, {2})});
  const ValueId moved =
      node.op("Slice", {theta, integers(node, {*rank}), integers(node, {*rank + 1}), integers(node, {2})});
  const ValueId made  = transposed(node, node.op("Add", {node.op("MatMul", {linear, points}), moved}), {0, 2, 1});
  const ValueId shape = node.op(
      "Concat", {node.op("Slice", {size, integers(node, {0}), integers(node, {1})}), spatial, integers(node, {*rank})},
      {{"axis", int64_t{0}}});
  return {node.op("Reshape", {made, shape})};
}

}  // namespace foreflow::onnx::expansions
