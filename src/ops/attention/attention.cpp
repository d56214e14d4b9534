#include <algorithm>

#include "ops/attention/attention_core.h"
#include "ops/attention/fused_attention.h"
#include "ops/common/expected.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/table_rows.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::attention {

namespace {

// Operands: x[b,s,i], weights[i,q+k+v], bias[q+k+v], mask, past[2,b,n,p,h], attention_bias[b,n,i,j].
constexpr size_t kWeights = 1, kBias = 2, kMask = 3, kPast = 4, kAdded = 5;

struct Shape {
  int64_t batch = Dims::kUnknown, queries = Dims::kUnknown, past = 0, heads = 0;
  int64_t q = Dims::kUnknown, k = Dims::kUnknown, v = Dims::kUnknown;  // columns

  int64_t keys() const { return plus_dim(past, queries); }
};

Shape shape_of(const OpCall& call) {
  const Type x = tensor_operand(call, 0), weights = tensor_operand(call, kWeights);
  Shape shape;
  shape.heads = call.attributes.get_int("num_heads");
  if (shape.heads < 1) call.fail("num_heads is " + std::to_string(shape.heads) + "; at least 1 would be right");
  if (has_rank(x)) {
    if (x.dims.size() != 3) call.fail("x is " + to_string(x.dims) + "; it should be [b,s,i]");
    shape.batch   = x.dims[0];
    shape.queries = x.dims[1];
  }
  if (call.has(kPast)) {
    const Type past = tensor_operand(call, kPast);
    if (has_rank(past) && past.dims.size() != 5)
      call.fail("past is " + to_string(past.dims) + "; it should be [2,b,n,p,h]");
    shape.past = has_rank(past) ? past.dims[3] : Dims::kUnknown;
  }
  if (const auto sizes = call.attributes.find_ints("qkv_hidden_sizes"); sizes && !sizes->empty()) {
    if (sizes->size() != 3 || *std::min_element(sizes->begin(), sizes->end()) < 1 || (*sizes)[0] != (*sizes)[1])
      call.fail("qkv_hidden_sizes should be three numbers, those of queries and keys equal");
    shape.q = (*sizes)[0];
    shape.k = (*sizes)[1];
    shape.v = (*sizes)[2];
  } else if (has_rank(weights) && weights.dims.size() == 2 && weights.dims[1] >= 0) {
    shape.q = shape.k = shape.v = weights.dims[1] / 3;
  }
  for (const int64_t columns : {shape.q, shape.k, shape.v}) {
    if (columns >= 0 && columns % shape.heads != 0)
      call.fail(std::to_string(columns) + " columns should be a multiple of the " + std::to_string(shape.heads) +
                " heads");
  }
  return shape;
}

void check_operands(const OpCall& call, const Shape& shape) {
  const Type x          = tensor_operand(call, 0);
  const int64_t columns = plus_dim(plus_dim(shape.q, shape.k), shape.v);
  check_dims(call, kWeights, {has_rank(x) ? x.dims[2] : Dims::kUnknown, columns}, "the weight");
  check_dims(call, kBias, {columns}, "the bias");
  check_mask_rank(call, kMask);
  if (!call.has(kPast)) return;
  if (differ(shape.k, shape.v)) call.fail("has a past, but keys and values of different sizes; equal ones are needed");
  const int64_t size = shape.k < 0 ? Dims::kUnknown : shape.k / shape.heads;
  check_dims(call, kPast, {2, shape.batch, shape.heads, shape.past, size}, "past");
}

// Results: y[b,s,v], present[2,b,n,p+s,h].
std::vector<Type> infer(const OpCall& call) {
  const Shape shape = shape_of(call);
  const Type x      = tensor_operand(call, 0);
  check_operands(call, shape);
  std::vector<Type> types{with_dims(x, {shape.batch, shape.queries, shape.v})};
  const int64_t size = shape.v < 0 ? Dims::kUnknown : shape.v / shape.heads;
  if (call.outputs > 1) types.push_back(with_dims(x, {2, shape.batch, shape.heads, shape.keys(), size}));
  return types;
}

Work work(const OpCall& call, std::span<const Type> outputs) {
  const Shape shape = shape_of(call);
  if (!has_dims(call.inputs[0]) || shape.keys() < 0 || shape.v < 0) return moves(call, outputs);
  const double rows        = static_cast<double>(shape.batch * shape.queries),
               inner       = static_cast<double>(call.inputs[0].dims[2]);
  const double projections = 2 * rows * inner * static_cast<double>(shape.q + shape.k + shape.v);
  const double attention = attention_flops(shape.batch, shape.heads, shape.queries, shape.keys(), shape.q / shape.heads,
                                           shape.v / shape.heads);
  return computes(call, outputs, projections + attention, 2);
}

std::vector<Array> eval(const OpCall& call) {
  if (call.attributes.int_or("do_rotary", 0) != 0) call.fail("has no reference kernel with do_rotary");
  const Shape shape  = shape_of(call);
  const Array& x     = value_of(call, 0);
  const Array wide   = array_of(DType::f64, x.dims(), values_of<double>(x));
  const Array& w     = value_of(call, kWeights);
  const Array matrix = array_of(DType::f64, w.dims(), values_of<double>(w));
  auto projected     = values_of<double>(evaluate("MatMul", {}, {&wide, &matrix})[0]);
  if (call.has(kBias)) {
    const auto bias = values_of<double>(value_of(call, kBias));
    for (size_t i = 0; i < projected.size(); ++i) projected[i] += bias[i % bias.size()];
  }
  const auto heads = [&](int64_t first, int64_t columns) {
    const int64_t size = columns / shape.heads;
    return heads_of(projected, x.dims(), {.first = first, .stride = size}, shape.heads, size);
  };
  const HeadTensor q = heads(0, shape.q);
  HeadTensor k = heads(shape.q, shape.k), v = heads(shape.q + shape.k, shape.v);
  if (call.has(kPast)) {
    HeadTensor past   = heads_of(value_of(call, kPast).reshaped({2 * shape.batch, shape.heads, shape.past, k.size}));
    const auto half   = static_cast<int64_t>(past.values.size() / 2);
    past.batch        = shape.batch;
    HeadTensor past_v = past;
    past_v.values.erase(past_v.values.begin(), past_v.values.begin() + half);
    k = joined(past, k);
    v = joined(past_v, v);
  }
  Scores scores{.scale  = attention_scale(call, q.size),
                .causal = call.attributes.int_or("unidirectional", 0) != 0,
                .offset = shape.past};
  const ScoreSizes sizes{shape.batch, shape.heads, shape.queries, shape.keys()};
  if (call.has(kMask)) scores.biases.push_back(mask_bias(call, kMask, sizes));
  if (call.has(kAdded)) scores.biases.push_back(added_bias(call, kAdded, sizes));
  const std::vector<Type> types = infer(call);
  std::vector<Array> results{array_of(x.dtype(), types[0].dims, merged(attend(q, k, v, scores)))};
  if (call.outputs > 1) {
    std::vector<double> present = k.values;
    present.insert(present.end(), v.values.begin(), v.values.end());
    results.push_back(array_of(x.dtype(), types[1].dims, present));
  }
  return results;
}

// Only sequences are independent of each other: the columns of the weights are q, k and v of all heads, side by side.
Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const int64_t batch = tensor_operand(call, 0).dims[0];
  std::vector<std::string> inputs{"b.."};
  for (size_t i = 1; i < call.arity(); ++i) {
    const Dims dims = call.has(i) ? tensor_operand(call, i).dims : Dims();
    const bool own  = i == kMask || i == kAdded;
    if (i == kMask && call.has(i) && (dims.empty() || dims[0] != batch)) return {};  // lengths of a packed mask
    inputs.push_back(!call.has(i)              ? ""
                     : i == kPast              ? ".b..."
                     : own && dims[0] == batch ? "b" + dots(dims.size() - 1)
                                               : dots(dims.size()));
  }
  std::vector<std::string> outputs{"b.."};
  if (call.outputs > 1) outputs.emplace_back(".b...");
  return {.text = factor_text(call, inputs, outputs)};
}

std::vector<Sample> samples() {
  const Attributes two{{"num_heads", 2}}, causal{{"num_heads", 2}, {"unidirectional", 1}};
  return {{two, {f32({2, 3, 4}), f32({4, 12}), f32({12})}},
          {causal, {f32({2, 3, 4}), f32({4, 12}), f32({12}), {}, f32({2, 2, 2, 2, 2})}, {}, 2},
          {two, {f32({1, 3, 4}), f32({4, 12}), f32({12}), Type::tensor(DType::i32, {1, 3})}}};
}

int unfused(CallBuilder& builder) {
  const FusedCall fused{builder};
  const int64_t heads = fused.attributes().get_int("num_heads");
  const Dims w        = fused.type(kWeights).dims;
  if (fused.has(kPast) || !is_of_training(fused, kMask, kAdded + 1) || w.size() != 2 || w[1] < 0 ||
      w[1] % (3 * heads) != 0 || fused.attributes().find("qkv_hidden_sizes") != nullptr)
    return kLeftOut;
  int all = fused.emit("MatMul", {fused.operand(0), fused.operand(kWeights)});
  if (fused.has(kBias)) all = fused.emit("Add", {all, fused.operand(kBias)});
  const auto columns = builder.emit("Split", {{"axis", 2}, {"num_outputs", 3}}, {all}, 3);
  return unfused_attention(fused,
                           {heads_of_columns(fused, columns[0], heads), heads_of_columns(fused, columns[1], heads),
                            heads_of_columns(fused, columns[2], heads), w[1] / 3 / heads},
                           fused.operand(kMask), kAdded);
}

}  // namespace

OpDef row() {
  return {
      .name = "Attention",
      .doc =
          "x[b,s,i], w[i,q+k+v], bias, mask, past, attention_bias -> attention over num_heads heads [b,s,v], and "
          "present",
      .domain        = "com.microsoft",
      .whole_because = "each query attends to all keys",
      .infer         = infer,
      .factors       = factors,
      .work          = work,
      .eval          = eval,
      .unfused       = unfused,
      .samples       = samples,
  };
}

}  // namespace foreflow::ops::definitions::attention
