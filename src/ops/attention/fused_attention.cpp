#include "ops/attention/fused_attention.h"

#include <cmath>

namespace foreflow::ops {
namespace {

using Ints = std::vector<int64_t>;

// Hides the keys whose flag [b,t] is 0.
int hide_keys(const FusedCall& fused, int scores, int flags, DType dtype) {
  const std::string name(ir::name(dtype));
  const int seen   = fused.emit("Unsqueeze", {fused.emit("Cast", {flags}, {{"to", name}})}, {{"axes", Ints{1, 2}}});
  const double far = fused.attributes().float_or("mask_filter_value", -10000);
  const int hidden = fused.emit("Sub", {fused.number(1, dtype), seen});
  return fused.emit("Add", {scores, fused.emit("Mul", {hidden, fused.number(far, dtype)})});
}

}  // namespace

int heads_of_columns(const FusedCall& fused, int x, int64_t heads) {
  return fused.emit("Transpose", {fused.emit("Reshape", {x}, {{"shape", Ints{0, 0, heads, -1}}})},
                    {{"perm", Ints{0, 2, 1, 3}}});
}

int unfused_attention(const FusedCall& fused, const FusedHeads& heads, int mask, size_t added) {
  const DType dtype   = fused.type(0).dtype;
  const double stated = fused.attributes().float_or("scale", 0),
               scale  = stated != 0 ? stated : 1 / std::sqrt(static_cast<double>(heads.size));
  int scores = fused.emit("MatMul", {heads.q, fused.emit("Transpose", {heads.k}, {{"perm", Ints{0, 1, 3, 2}}})});
  scores     = fused.emit("Mul", {scores, fused.number(scale, dtype)});
  if (fused.has(added)) scores = fused.emit("Add", {scores, fused.operand(added)});
  if (mask != kLeftOut) scores = hide_keys(fused, scores, mask, dtype);
  const int y = fused.emit("MatMul", {fused.emit("Softmax", {scores}, {{"axis", -1}}), heads.v});
  return fused.emit("Reshape", {fused.emit("Transpose", {y}, {{"perm", Ints{0, 2, 1, 3}}})},
                    {{"shape", Ints{0, 0, -1}}});
}

std::vector<int> with_biases(const FusedCall& fused, std::vector<int> columns, size_t bias, const Ints& widths) {
  const int lengths = fused.integers(widths);
  const auto biases = fused.builder.emit("Split", {{"axis", 0}}, {fused.operand(bias), lengths}, widths.size());
  for (size_t i = 0; i < columns.size(); ++i) columns[i] = fused.emit("Add", {columns[i], biases[i]});
  return columns;
}

bool is_of_training(const FusedCall& fused, size_t mask, size_t past) {
  const bool flags = !fused.has(mask) || (fused.type(mask).is_tensor() && fused.type(mask).dims.size() == 2);
  return fused.builder.call().outputs == 1 && !fused.has_any(past) && flags &&
         fused.attributes().int_or("unidirectional", 0) == 0 && fused.attributes().int_or("do_rotary", 0) == 0;
}

}  // namespace foreflow::ops
