#include "ops/attention/attention_core.h"
#include "ops/attention/fused_attention.h"
#include "ops/common/expected.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::multi_head_attention {

namespace {

// Operands: query, key, value, bias, key_padding_mask, attention_bias, past_key, past_value. The query is [b,s,n*h] or
// packed [b,s,n,3,h]; the key [b,l,n*h], packed with the value [b,l,n,2,h], or [b,n,l,h]; the value [b,l,n*hv] or
// [b,n,l,hv].
constexpr size_t kKey = 1, kValue = 2, kBias = 3, kMask = 4, kAdded = 5, kPastKey = 6, kPastValue = 7;

struct Shape {
  int64_t batch = Dims::kUnknown, heads = 0, queries = Dims::kUnknown, fresh = Dims::kUnknown, past = 0;
  int64_t size = Dims::kUnknown, value_size = Dims::kUnknown;

  int64_t keys() const { return plus_dim(past, fresh); }
};

[[noreturn]] void refuse(const OpCall& call, std::string_view which, const Dims& dims) {
  call.fail(std::string(which) + " is " + to_string(dims) +
            "; [b,s,n*h], packed [b,s,n,3,h] or [b,s,n,2,h], or [b,n,s,h] would be right");
}

// False where a rank that matters is not known.
bool read_query(const OpCall& call, Shape& shape) {
  const Type query = tensor_operand(call, 0);
  if (!has_rank(query)) return false;
  const bool packed = query.dims.size() == 5;
  if (!packed && query.dims.size() != 3) refuse(call, "query", query.dims);
  shape.batch   = query.dims[0];
  shape.queries = query.dims[1];
  shape.size    = packed ? query.dims[4] : per_head(call, query.dims[2], shape.heads);
  if (packed) shape.fresh = shape.queries;
  if (packed) shape.value_size = shape.size;
  return true;
}

void read_keys(const OpCall& call, Shape& shape) {
  if (!call.has(kKey)) return;
  const Type key = tensor_operand(call, kKey);
  if (!has_rank(key)) return;
  const bool by_head = key.dims.size() == 4;
  if (key.dims.size() < 3 || key.dims.size() > 5) refuse(call, "key", key.dims);
  shape.fresh = key.dims[by_head ? 2 : 1];
  if (key.dims.size() == 5) shape.value_size = key.dims[4];
  if (!call.has(kValue)) return;
  const Type value = tensor_operand(call, kValue);
  if (!has_rank(value)) return;
  if (value.dims.size() != 3 && value.dims.size() != 4) refuse(call, "value", value.dims);
  shape.value_size = value.dims.size() == 4 ? value.dims[3] : per_head(call, value.dims[2], shape.heads);
}

Shape shape_of(const OpCall& call) {
  Shape shape;
  shape.heads = call.attributes.get_int("num_heads");
  if (shape.heads < 1) call.fail("num_heads is " + std::to_string(shape.heads) + "; at least 1 would be right");
  read_query(call, shape);
  read_keys(call, shape);
  if (call.has(kPastKey)) {
    const Type past = tensor_operand(call, kPastKey);
    shape.past      = has_rank(past) && past.dims.size() == 4 ? past.dims[2] : Dims::kUnknown;
  }
  return shape;
}

void check_operands(const OpCall& call, const Shape& shape) {
  const int64_t columns = times_dim(shape.heads, shape.size), of_values = times_dim(shape.heads, shape.value_size);
  const auto check = [&](size_t operand, int64_t rows, int64_t size, std::string_view name) {
    if (!call.has(operand)) return;
    const Type x = tensor_operand(call, operand);
    if (!has_rank(x)) return;
    if (x.dims.size() == 5) return check_dims(call, operand, {shape.batch, rows, shape.heads, 2, size}, name);
    if (x.dims.size() == 4) return check_dims(call, operand, {shape.batch, shape.heads, rows, size}, name);
    check_dims(call, operand, {shape.batch, rows, times_dim(shape.heads, size)}, name);
  };
  const Type query = tensor_operand(call, 0);
  if (has_rank(query) && query.dims.size() == 5)
    check_dims(call, 0, {shape.batch, shape.queries, shape.heads, 3, shape.size}, "query");
  check(kKey, shape.fresh, shape.size, "key");
  check(kValue, shape.fresh, shape.value_size, "value");
  check_dims(call, kBias, {plus_dim(times_dim(2, columns), of_values)}, "the bias");
  check_dims(call, kPastKey, {shape.batch, shape.heads, shape.past, shape.size}, "past_key");
  check_dims(call, kPastValue, {shape.batch, shape.heads, shape.past, shape.value_size}, "past_value");
  check_mask_rank(call, kMask);
}

// Results: y[b,s,n*hv], present_key[b,n,p+l,h], present_value[b,n,p+l,hv].
std::vector<Type> infer(const OpCall& call) {
  const Shape shape = shape_of(call);
  const Type query  = tensor_operand(call, 0);
  check_operands(call, shape);
  std::vector<Type> types{with_dims(query, {shape.batch, shape.queries, times_dim(shape.heads, shape.value_size)})};
  if (call.outputs > 1) types.push_back(with_dims(query, {shape.batch, shape.heads, shape.keys(), shape.size}));
  if (call.outputs > 2) types.push_back(with_dims(query, {shape.batch, shape.heads, shape.keys(), shape.value_size}));
  return types;
}

// Heads of operand `index`, or of part `part` of `parts` that are packed in it, with the bias from `column` on.
HeadTensor heads_in(const OpCall& call, size_t index, int64_t part, int64_t size, int64_t column) {
  const Array& x      = value_of(call, index);
  const int64_t heads = call.attributes.get_int("num_heads");
  HeadTensor result;
  if (x.dims().size() == 4) {
    result = heads_of(x);
  } else if (x.dims().size() == 5) {
    const int64_t parts = x.dims()[3];
    result = heads_of(values_of<double>(x), x.dims(), {.first = part * size, .stride = parts * size}, heads, size);
  } else {
    result = heads_of(values_of<double>(x), x.dims(), {.first = 0, .stride = size}, heads, size);
  }
  if (!call.has(kBias)) return result;
  const auto bias = values_of<double>(value_of(call, kBias));
  for (size_t i = 0; i < result.values.size(); ++i) {
    const auto element = static_cast<int64_t>(i), head = element / (size * result.rows) % heads;
    result.values[i] += bias.at(static_cast<size_t>(column + head * size + element % size));
  }
  return result;
}

std::vector<Array> eval(const OpCall& call) {
  const Shape shape   = shape_of(call);
  const bool qkv      = value_of(call, 0).dims().size() == 5;  // all three in the query
  const bool kv       = !qkv && !call.has(kValue);             // both in the key
  const int64_t width = shape.heads * shape.size;
  const HeadTensor q  = heads_in(call, 0, 0, shape.size, 0);
  HeadTensor k        = heads_in(call, qkv ? 0 : kKey, qkv ? 1 : 0, shape.size, width);
  HeadTensor v        = heads_in(call, qkv ? 0 : kv ? kKey : kValue, qkv ? 2 : 1, shape.value_size, 2 * width);
  if (call.has(kPastKey)) {
    k = joined(heads_of(value_of(call, kPastKey)), k);
    v = joined(heads_of(value_of(call, kPastValue)), v);
  }
  // If there are more keys than the past and the queries have, ONNX Runtime (1.32, on CPUs) shows all of them to the
  // last query.
  Scores scores{.scale         = attention_scale(call, q.size),
                .causal        = call.attributes.int_or("unidirectional", 0) != 0,
                .offset        = shape.past,
                .last_sees_all = true};
  const ScoreSizes sizes{shape.batch, shape.heads, shape.queries, shape.keys()};
  if (call.has(kMask)) scores.biases.push_back(mask_bias(call, kMask, sizes));
  if (call.has(kAdded)) scores.biases.push_back(added_bias(call, kAdded, sizes));
  const std::vector<Type> types = infer(call);
  std::vector<Array> results{array_of(types[0].dtype, types[0].dims, merged(attend(q, k, v, scores)))};
  if (call.outputs > 1) results.push_back(array_of(types[1].dtype, types[1].dims, k.values));
  if (call.outputs > 2) results.push_back(array_of(types[2].dtype, types[2].dims, v.values));
  return results;
}

// The dimension of an operand along which heads lie; the length of `dims` or more: there is none.
size_t dim_of_heads(size_t operand, const Dims& dims) {
  if (dims.size() == 4) return dims[1] == 1 && (operand == kMask || operand == kAdded) ? dims.size() : 1;
  return operand == kMask ? dims.size() : 2;
}

// Sequences are independent of each other, and so are heads, but for a bias, in which those of queries, keys and values
// lie side by side.
Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const int64_t batch = tensor_operand(call, 0).dims[0];
  const char head     = call.has(kBias) ? '.' : 'n';
  std::vector<std::string> inputs;
  for (size_t i = 0; i < call.arity(); ++i) {
    if (!call.has(i)) {
      inputs.emplace_back();
      continue;
    }
    const Dims dims   = tensor_operand(call, i).dims;
    const bool shared = i == kBias || (i == kAdded && dims[0] == 1);
    if (!shared && (dims.empty() || dims[0] != batch)) return {};  // lengths of a packed mask
    inputs.push_back(shared ? dots(dims.size()) : "b" + dots(dims.size() - 1));
    const size_t dim = dim_of_heads(i, dims);
    if (dim < dims.size()) inputs.back()[dim] = head;
  }
  std::vector<std::string> outputs(call.outputs, std::string("b") + head + "..");
  outputs[0] = std::string("b.") + head;
  return {.text    = factor_text(call, inputs, outputs),
          .grouped = head == '.' ? char{0} : head,
          .blocks  = static_cast<int>(call.attributes.get_int("num_heads"))};
}

void fit_part(Attributes& attributes, const OpCall& whole, std::span<const Type>, const ir::PartOfCall& part) {
  constexpr int32_t kHeads = 2;
  if (part.result_dim == kHeads) attributes.set("num_heads", whole.attributes.get_int("num_heads") / part.ways);
}

std::vector<Sample> samples() {
  const Attributes two{{"num_heads", 2}}, causal{{"num_heads", 2}, {"unidirectional", 1}};
  const Type past = f32({2, 2, 2, 2});
  return {{two, {f32({2, 3, 4}), f32({2, 5, 4}), f32({2, 5, 6}), f32({14})}},
          {causal, {f32({2, 3, 2, 3, 4})}, {}, 3},
          {two, {f32({2, 3, 4}), f32({2, 5, 2, 2, 2}), {}, {}, Type::tensor(DType::i32, {2, 5}), f32({1, 2, 3, 5})}},
          {two, {f32({2, 3, 4}), f32({2, 5, 4}), f32({2, 5, 6}), {}, {}, f32({1, 2, 3, 5})}},
          {causal, {f32({2, 1, 4}), f32({2, 2, 1, 2}), f32({2, 2, 1, 2}), {}, {}, {}, past, past}, {}, 3}};
}

int unfused(CallBuilder& builder) {
  const FusedCall fused{builder};
  const int64_t heads   = fused.attributes().get_int("num_heads");
  const auto is_columns = [&](size_t i) {
    return fused.has(i) && fused.type(i).is_tensor() && fused.type(i).dims.size() == 3 && fused.type(i).resolved();
  };
  if (!is_of_training(fused, kMask, kPastKey) || !is_columns(0) || !is_columns(kKey) || !is_columns(kValue))
    return kLeftOut;
  std::vector<int> columns{fused.operand(0), fused.operand(kKey), fused.operand(kValue)};
  if (fused.has(kBias)) {
    columns = with_biases(fused, columns, kBias,
                          {fused.type(0).dims[2], fused.type(kKey).dims[2], fused.type(kValue).dims[2]});
  }
  return unfused_attention(fused,
                           {heads_of_columns(fused, columns[0], heads), heads_of_columns(fused, columns[1], heads),
                            heads_of_columns(fused, columns[2], heads), fused.type(0).dims[2] / heads},
                           fused.operand(kMask), kAdded);
}

}  // namespace

OpDef row() {
  return {
      .name = "MultiHeadAttention",
      .doc =
          "q[b,s,n*h], k[b,l,n*h], v[b,l,n*hv], bias, masks, past -> attention over num_heads heads [b,s,n*hv], and "
          "present",
      .domain        = "com.microsoft",
      .attention     = true,
      .past_keys     = kPastKey,
      .fit_part      = fit_part,
      .whole_because = "each query attends to all keys",
      .infer         = infer,
      .factors       = factors,
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            const Shape shape = shape_of(call);
            return computes(
                call, outputs,
                attention_flops(shape.batch, shape.heads, shape.queries, shape.keys(), shape.size, shape.value_size));
          },
      .eval    = eval,
      .unfused = unfused,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::multi_head_attention
