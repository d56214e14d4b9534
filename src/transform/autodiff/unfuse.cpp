#include "foreflow/transform/unfuse.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/builder.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/fused_activation.h"
#include "transform/rewrite/copy.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;
using Ints = std::vector<int64_t>;

// A fused op: its operands in the new function, and the types that they have.
struct FusedOp {
  ir::FunctionBuilder& builder;
  const ir::Op& op;
  std::vector<ValueId> inputs;  // none: absent
  std::vector<ir::Type> types;

  bool has(size_t index) const { return index < inputs.size() && inputs[index] != ValueId::none; }
  ValueId operand(size_t index) const { return has(index) ? inputs[index] : ValueId::none; }
  bool has_any(size_t from) const {
    for (size_t i = from; i < inputs.size(); ++i) {
      if (has(i)) return true;
    }
    return false;
  }
  ValueId emit(std::string_view name, std::vector<ValueId> operands, ir::Attributes attributes = {}) const {
    return builder.op(name, std::move(operands), std::move(attributes));
  }
};

// --- activations

bool is_of_activation(std::string_view attribute) { return attribute.starts_with("activation"); }

ir::Attributes without_activation(const ir::Attributes& attributes) {
  ir::Attributes rest;
  for (const auto& [name, value] : attributes) {
    if (!is_of_activation(name)) rest.set(name, value);
  }
  return rest;
}

ValueId activated(const FusedOp& fused, ValueId x) {
  ops::FusedActivation activation = ops::fused_activation(*fused.op.attributes);
  return fused.emit(activation.name, {x}, std::move(activation.attributes));
}

ValueId gemm(const FusedOp& fused) {
  return activated(fused, fused.emit("Gemm", fused.inputs, without_activation(*fused.op.attributes)));
}

ValueId convolution(const FusedOp& fused) {
  constexpr size_t kAdded = 3;
  std::vector<ValueId> operands(
      fused.inputs.begin(), fused.inputs.begin() + static_cast<std::ptrdiff_t>(std::min(kAdded, fused.inputs.size())));
  while (!operands.empty() && operands.back() == ValueId::none) operands.pop_back();
  ValueId y = fused.emit("Conv", operands, without_activation(*fused.op.attributes));
  if (fused.has(kAdded)) y = fused.emit("Add", {y, fused.inputs[kAdded]});
  return activated(fused, y);
}

// --- attention

struct Heads {
  ValueId q, k, v;  // [b,n,s,h]
  int64_t size;     // h of q
};

ValueId constant(const FusedOp& fused, double number, ir::DType dtype) {
  const ValueId made = fused.emit("Constant", {}, {{"value", ir::Array::scalar(static_cast<float>(number))}});
  return dtype == ir::DType::f32 ? made : fused.emit("Cast", {made}, {{"to", std::string(ir::name(dtype))}});
}

ValueId heads_of(const FusedOp& fused, ValueId x, int64_t heads) {
  return fused.emit("Transpose", {fused.emit("Reshape", {x}, {{"shape", Ints{0, 0, heads, -1}}})},
                    {{"perm", Ints{0, 2, 1, 3}}});
}

// Hides the keys whose flag [b,t] is 0.
ValueId masked(const FusedOp& fused, ValueId scores, ValueId mask, ir::DType dtype) {
  const std::string name(ir::name(dtype));
  const ValueId flags = fused.emit("Unsqueeze", {fused.emit("Cast", {mask}, {{"to", name}})}, {{"axes", Ints{1, 2}}});
  const double far    = fused.op.attributes->float_or("mask_filter_value", -10000);
  const ValueId gone  = fused.emit("Sub", {constant(fused, 1, dtype), flags});
  return fused.emit("Add", {scores, fused.emit("Mul", {gone, constant(fused, far, dtype)})});
}

// `mask`: flags [b,t], or none. `added`: the operand that is added to scores.
ValueId attended(const FusedOp& fused, const Heads& heads, ValueId mask, size_t added) {
  const ir::Attributes& attributes = *fused.op.attributes;
  const ir::DType dtype            = fused.types[0].dtype;
  const double stated              = attributes.float_or("scale", 0),
               scale               = stated != 0 ? stated : 1 / std::sqrt(static_cast<double>(heads.size));
  ValueId scores = fused.emit("MatMul", {heads.q, fused.emit("Transpose", {heads.k}, {{"perm", Ints{0, 1, 3, 2}}})});
  scores         = fused.emit("Mul", {scores, constant(fused, scale, dtype)});
  if (fused.has(added)) scores = fused.emit("Add", {scores, fused.inputs[added]});
  if (mask != ValueId::none) scores = masked(fused, scores, mask, dtype);
  const ValueId y = fused.emit("MatMul", {fused.emit("Softmax", {scores}, {{"axis", -1}}), heads.v});
  return fused.emit("Reshape", {fused.emit("Transpose", {y}, {{"perm", Ints{0, 2, 1, 3}}})},
                    {{"shape", Ints{0, 0, -1}}});
}

// The parts of q, k and v with theirs of the bias, operand 3.
std::vector<ValueId> biased(const FusedOp& fused, std::vector<ValueId> parts, const Ints& widths) {
  const ValueId lengths = fused.emit("Constant", {}, {{"value", ir::Array::of_ints({3}, widths)}});
  const auto biases     = fused.builder.emit("Split", {fused.inputs[3], lengths}, {{"axis", 0}}, 3);
  for (size_t i = 0; i < 3; ++i) parts[i] = fused.emit("Add", {parts[i], biases[i]});
  return parts;
}

// Only what training has: no cache, one result, and masks of one flag for each key.
bool is_plain_attention(const FusedOp& fused, size_t mask, size_t past) {
  const bool flags = !fused.has(mask) || (fused.types[mask].is_tensor() && fused.types[mask].dims.size() == 2);
  return fused.op.result_count == 1 && !fused.has_any(past) && flags &&
         fused.op.attributes->int_or("unidirectional", 0) == 0 && fused.op.attributes->int_or("do_rotary", 0) == 0;
}

// Operands: x[b,s,i], weights[i,q+k+v], bias, mask, past, attention_bias.
ValueId attention(const FusedOp& fused) {
  const int64_t heads = fused.op.attributes->get_int("num_heads");
  const ir::Dims w    = fused.types[1].dims;
  if (fused.has(4) || !is_plain_attention(fused, 3, 6) || w.size() != 2 || w[1] < 0 || w[1] % (3 * heads) != 0 ||
      fused.op.attributes->find("qkv_hidden_sizes") != nullptr)
    return ValueId::none;
  ValueId all = fused.emit("MatMul", {fused.inputs[0], fused.inputs[1]});
  if (fused.has(2)) all = fused.emit("Add", {all, fused.inputs[2]});
  const auto parts = fused.builder.emit("Split", {all}, {{"axis", 2}, {"num_outputs", 3}}, 3);
  return attended(fused,
                  {heads_of(fused, parts[0], heads), heads_of(fused, parts[1], heads), heads_of(fused, parts[2], heads),
                   w[1] / 3 / heads},
                  fused.operand(3), 5);
}

// Operands: q[b,s,n*h], k, v, bias, key_padding_mask, attention_bias, past.
ValueId multi_head_attention(const FusedOp& fused) {
  const int64_t heads = fused.op.attributes->get_int("num_heads");
  const auto is_plain = [&](size_t i) {
    return fused.has(i) && fused.types[i].is_tensor() && fused.types[i].dims.size() == 3 && fused.types[i].resolved();
  };
  if (!is_plain_attention(fused, 4, 6) || !is_plain(0) || !is_plain(1) || !is_plain(2)) return ValueId::none;
  std::vector<ValueId> parts(fused.inputs.begin(), fused.inputs.begin() + 3);
  if (fused.has(3)) {
    Ints widths;
    for (size_t i = 0; i < 3; ++i) widths.push_back(fused.types[i].dims[2]);
    parts = biased(fused, parts, widths);
  }
  return attended(fused,
                  {heads_of(fused, parts[0], heads), heads_of(fused, parts[1], heads), heads_of(fused, parts[2], heads),
                   fused.types[0].dims[2] / heads},
                  fused.operand(4), 5);
}

// Columns of q, k and v [t,n*h], and how many each has; empty: in a form that stays.
std::pair<std::vector<ValueId>, Ints> packed_parts(const FusedOp& fused) {
  const ir::Dims q = fused.types[0].dims;
  if (q.size() == 4) {
    std::vector<ValueId> parts = fused.builder.emit("Split", {fused.inputs[0]}, {{"axis", 2}, {"num_outputs", 3}}, 3);
    for (ValueId& part : parts) part = fused.emit("Reshape", {part}, {{"shape", Ints{0, -1}}});
    return {parts, Ints(3, q[1] * q[3])};
  }
  if (!fused.has(2) || !fused.types[2].resolved()) return {};
  return {{fused.inputs[0], fused.inputs[1], fused.inputs[2]}, {q[1], q[1], fused.types[2].dims[1]}};
}

// Operands: q[t,n*h] or [t,n,3,h], k, v, bias, token_offset[b,s], cumulative lengths[b+1], attention_bias. Attention of
// the padded samples [b,s,..]: padding gets the numbers of some token, which no other token sees and nothing reads.
ValueId packed_multi_head_attention(const FusedOp& fused) {
  for (const size_t i : {0, 4, 5}) {
    if (!fused.types[i].resolved() || !fused.types[i].is_tensor()) return ValueId::none;
  }
  const int64_t heads = fused.op.attributes->get_int("num_heads"), tokens = fused.types[0].dims[0],
                batch = fused.types[4].dims[0], longest = fused.types[4].dims[1], room = batch * longest;
  auto [parts, widths] = packed_parts(fused);
  if (parts.empty() || tokens == 0) return ValueId::none;
  if (fused.has(3)) parts = biased(fused, parts, widths);
  const auto numbers = [&](int64_t count, int64_t step) {
    Ints all(static_cast<size_t>(count));
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i) * step;
    return fused.emit("Constant", {}, {{"value", ir::Array::of_ints({count}, all)}});
  };
  const auto first = [&](ValueId x, int64_t from, int64_t to) {
    return fused.emit("Slice", {x}, {{"starts", Ints{from}}, {"ends", Ints{to}}, {"axes", Ints{0}}});
  };
  // offsets: packed -> padded; places: padded -> packed.
  const ir::Attributes integer{{"to", std::string("Int64")}};
  const ValueId offsets =
      fused.emit("Cast", {fused.emit("Reshape", {fused.inputs[4]}, {{"shape", Ints{-1}}})}, integer);
  const ValueId order  = fused.emit("ScatterElements", {numbers(room, 0), offsets, numbers(room, 1)}, {{"axis", 0}});
  const ValueId last   = fused.emit("Constant", {}, {{"value", ir::Array::scalar(tokens - 1)}});
  const ValueId places = fused.emit("Min", {order, last});
  const ValueId bounds = fused.emit("Cast", {fused.inputs[5]}, integer);
  const ValueId counts = fused.emit("Sub", {first(bounds, 1, batch + 1), first(bounds, 0, batch)});
  const ValueId flags =
      fused.emit("Less", {numbers(longest, 1), fused.emit("Unsqueeze", {counts}, {{"axes", Ints{1}}})});
  std::vector<ValueId> padded;
  for (size_t i = 0; i < 3; ++i) {
    const ValueId rows = fused.emit("Gather", {parts[i], places}, {{"axis", 0}});
    padded.push_back(
        heads_of(fused, fused.emit("Reshape", {rows}, {{"shape", Ints{batch, longest, widths[i]}}}), heads));
  }
  const ValueId y    = attended(fused, {padded[0], padded[1], padded[2], widths[0] / heads}, flags, 6);
  const ValueId rows = fused.emit("Reshape", {y}, {{"shape", Ints{room, widths[2]}}});
  return fused.emit("Gather", {rows, first(offsets, 0, tokens)}, {{"axis", 0}});
}

struct UnfuseRow {
  std::string_view op;
  ValueId (*write)(const FusedOp& fused);  // none: in a form that stays
};

constexpr std::array kUnfused = {UnfuseRow{"Attention", attention}, UnfuseRow{"FusedConv", convolution},
                                 UnfuseRow{"FusedGemm", gemm}, UnfuseRow{"MultiHeadAttention", multi_head_attention},
                                 UnfuseRow{"PackedMultiHeadAttention", packed_multi_head_attention}};

const UnfuseRow* row_of(const ir::Op& op) {
  if (op.is_call()) return nullptr;
  const auto row =
      std::find_if(kUnfused.begin(), kUnfused.end(), [&](const UnfuseRow& r) { return r.op == op.def->name; });
  return row == kUnfused.end() ? nullptr : &*row;
}

}  // namespace

ir::Module unfuse(const ir::Module& module, const ir::OpTable& ops) {
  const ir::Function& function = module.entry();
  if (std::none_of(function.ops.begin(), function.ops.end(), [](const ir::Op& op) { return row_of(op) != nullptr; }))
    return module;
  const auto interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  const auto& values        = interpretation.entry().values;
  ir::FunctionBuilder builder(function.name, ops);
  ValueMap map(function.values.size());
  copy_parameters(builder, function, map);
  for (const ir::Op& op : function.ops) {
    const UnfuseRow* row = row_of(op);
    ValueId made         = ValueId::none;
    if (row != nullptr) {
      FusedOp fused{builder, op, copies(function.inputs(op), map), {}};
      for (const ValueId id : function.inputs(op))
        fused.types.push_back(id == ValueId::none ? ir::Type() : values[ir::index(id)].type);
      made = row->write(fused);
    }
    if (made == ValueId::none) {
      copy_op(builder, function, op, map);
      continue;
    }
    const ValueId old = function.output(op, 0);
    builder.set_name(made, function.value(old).name);
    builder.annotate(made, function.value(old).annotation);
    map.set(old, made);
  }
  ir::Module result       = module;
  result.functions.back() = builder.finish(copies(function.results, map));
  ir::verify(result);
  return result;
}

}  // namespace foreflow::transform
