#include <algorithm>
#include <limits>

#include "foreflow/base/nth.h"
#include "ops/attention/rotary.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::group_query_attention {

namespace {

// Operands: query[b,s,n*h], key[b,s,m*h], value[b,s,m*h] (or all three packed in the query, q then k then v), past_key
// and past_value[b,m,p,h], seqlens_k[b] (the number of keys, less one), total_sequence_length, cos_cache, sin_cache,
// position_ids[b,s], attention_bias[b,n,s,total], head_sink[n].
constexpr size_t kKey = 1, kValue = 2, kPastKey = 3, kPastValue = 4, kLengths = 5, kTotal = 6, kCosine = 7, kSine = 8,
                 kPositions = 9, kAdded = 10, kSink = 11;

struct Shape {
  int64_t batch = Dims::kUnknown, rows = Dims::kUnknown, keys = Dims::kUnknown;
  int64_t heads = 0, kv_heads = 0, size = Dims::kUnknown;
};

Shape shape_of(const OpCall& call) {
  Shape shape;
  shape.heads    = call.attributes.get_int("num_heads");
  shape.kv_heads = call.attributes.get_int("kv_num_heads");
  if (shape.kv_heads < 1 || shape.heads < 1 || shape.heads % shape.kv_heads != 0)
    call.fail("num_heads is " + std::to_string(shape.heads) + "; it should be a multiple of kv_num_heads, " +
              std::to_string(shape.kv_heads));
  if (call.arity() <= kTotal) call.fail("needs operands up to total_sequence_length");
  const Type query = tensor_operand(call, 0);
  if (has_rank(query)) {
    if (query.dims.size() != 3) call.fail("query is " + to_string(query.dims) + "; it should be [b,s,n*h]");
    shape.batch          = query.dims[0];
    shape.rows           = query.dims[1];
    const int64_t number = call.has(kKey) ? shape.heads : shape.heads + 2 * shape.kv_heads;
    if (query.dims[2] >= 0 && query.dims[2] % number != 0)
      call.fail(std::to_string(query.dims[2]) + " columns should be a multiple of the " + std::to_string(number) +
                " heads in them");
    shape.size = query.dims[2] < 0 ? Dims::kUnknown : query.dims[2] / number;
  }
  // The cache has room for the whole sequence, or grows to hold it.
  int64_t past = 0;
  if (call.has(kPastKey)) {
    const Type cache = tensor_operand(call, kPastKey);
    past             = has_rank(cache) && cache.dims.size() == 4 ? cache.dims[2] : Dims::kUnknown;
  }
  if (call.known[kTotal] != nullptr && past >= 0 && call.known[kTotal]->size() == 1)
    shape.keys = std::max(past, call.known[kTotal]->to_ints().at(0));
  return shape;
}

void check_operands(const OpCall& call, const Shape& shape) {
  const int64_t width = times_dim(shape.kv_heads, shape.size);
  check_dims(call, kKey, {shape.batch, shape.rows, width}, "key");
  if (call.has(kKey)) check_dims(call, kValue, {shape.batch, shape.rows, width}, "value");
  for (const size_t cache : {kPastKey, kPastValue})
    check_dims(call, cache, {shape.batch, shape.kv_heads, Dims::kUnknown, shape.size}, "a cache");
  const Type lengths = tensor_operand(call, kLengths), total = tensor_operand(call, kTotal);
  if (has_dims(lengths) && differ(element_count(lengths.dims), shape.batch))
    call.fail("seqlens_k is " + to_string(lengths.dims) + "; one number for each sample would be right");
  if (has_dims(total) && element_count(total.dims) != 1)
    call.fail("total_sequence_length is " + to_string(total.dims) + "; one number would be right");
  check_dims(call, kPositions, {shape.batch, shape.rows}, "position_ids");
  check_dims(call, kAdded, Dims(4, Dims::kUnknown), "attention_bias");
  check_dims(call, kSink, {shape.heads}, "head_sink");
  if (call.attributes.int_or("do_rotary", 0) == 0) return;
  if (!call.has(kCosine) || !call.has(kSine)) call.fail("do_rotary needs cos_cache and sin_cache");
  check_rotation(call, kCosine, kSine, shape.size);
}

// Results: y[b,s,n*h], present_key and present_value[b,m,keys,h].
std::vector<Type> infer(const OpCall& call) {
  const Shape shape = shape_of(call);
  const Type query  = tensor_operand(call, 0);
  check_operands(call, shape);
  std::vector<Type> types{with_dims(query, {shape.batch, shape.rows, times_dim(shape.heads, shape.size)})};
  while (types.size() < call.outputs)
    types.push_back(with_dims(query, {shape.batch, shape.kv_heads, shape.keys, shape.size}));
  return types;
}

// The cache with the new rows behind those that it already holds; `lengths` is the number of keys of every sequence.
HeadTensor cached(const OpCall& call, size_t index, const HeadTensor& fresh, const Shape& shape,
                  const std::vector<int64_t>& lengths) {
  HeadTensor cache = fresh;
  cache.rows       = shape.keys;
  cache.values.assign(static_cast<size_t>(cache.batch * cache.heads * cache.rows * cache.size), 0);
  const auto copy = [&](const HeadTensor& from, int64_t b, int64_t rows, int64_t target) {
    for (int64_t m = 0; m < cache.heads; ++m)
      std::copy_n(from.values.begin() + static_cast<int64_t>(from.offset(b, m, 0)), rows * cache.size,
                  cache.values.begin() + static_cast<int64_t>(cache.offset(b, m, target)));
  };
  for (int64_t b = 0; b < cache.batch; ++b) {
    if (call.has(index)) {
      const HeadTensor past = heads_of(value_of(call, index));
      copy(past, b, std::min(past.rows, cache.rows), 0);
    }
    copy(fresh, b, fresh.rows, nth(lengths, b) - fresh.rows);
  }
  return cache;
}

std::vector<Array> eval(const OpCall& call) {
  const Shape shape            = shape_of(call);
  std::vector<int64_t> lengths = value_of(call, kLengths).to_ints();
  const bool is_prompt         = value_of(call, kTotal).to_ints()[0] == shape.rows;
  for (int64_t& length : lengths) {
    ++length;
    // Rows of a prompt that are shorter than the others are padded behind.
    if (is_prompt) length = shape.rows;
    if (length < shape.rows || length > shape.keys) call.fail("seqlens_k does not fit total_sequence_length");
  }
  const auto heads = [&](size_t index, int64_t first, int64_t number) {
    const Array& x       = value_of(call, call.has(kKey) ? index : 0);
    const int64_t column = call.has(kKey) ? 0 : first * shape.size;
    return heads_of(values_of<double>(x), x.dims(), {.first = column, .stride = shape.size}, number, shape.size);
  };
  HeadTensor q = heads(0, 0, shape.heads), k = heads(kKey, shape.heads, shape.kv_heads);
  const HeadTensor v  = heads(kValue, shape.heads + shape.kv_heads, shape.kv_heads);
  const auto position = [&](int64_t b, int64_t row) { return nth(lengths, b) - shape.rows + row; };
  if (call.attributes.int_or("do_rotary", 0) != 0) {
    const Rotation rotation = rotation_of(call, kCosine, kSine, "rotary_interleaved");
    const auto stated       = call.has(kPositions) ? value_of(call, kPositions).to_ints() : std::vector<int64_t>();
    const auto place        = [&](int64_t b, int64_t row) {
      return stated.empty() ? position(b, row) : nth(stated, b * shape.rows + row);
    };
    rotate(call, q, rotation, place);
    rotate(call, k, rotation, place);
  }
  const HeadTensor keys   = cached(call, kPastKey, k, shape, lengths),
                   values = cached(call, kPastValue, v, shape, lengths);
  const int64_t window    = call.attributes.int_or("local_window_size", -1);
  Scores scores{.scale = attention_scale(call, shape.size), .softcap = call.attributes.float_or("softcap", 0)};
  scores.biases.push_back([&](int64_t b, int64_t, int64_t i, int64_t j) {
    const int64_t here = position(b, i);
    return j > here || (window >= 0 && here - j >= window) ? -std::numeric_limits<double>::infinity() : 0;
  });
  if (call.has(kAdded)) {
    const int64_t total = value_of(call, kTotal).to_ints()[0];
    const auto bias     = added_bias(call, kAdded, {shape.batch, shape.heads, shape.rows, total});
    scores.biases.push_back(
        [=](int64_t b, int64_t n, int64_t i, int64_t j) { return j < total ? bias(b, n, i, j) : 0; });
  }
  if (call.has(kSink)) {
    scores.sinks = values_of<double>(value_of(call, kSink));
  } else if (call.attributes.int_or("smooth_softmax", 0) != 0) {
    scores.sinks.assign(static_cast<size_t>(shape.heads), 0);
  }
  const std::vector<Type> types = infer(call);
  std::vector<Array> results{array_of(types[0].dtype, types[0].dims, merged(attend(q, keys, values, scores)))};
  if (call.outputs > 1) results.push_back(array_of(types[1].dtype, types[1].dims, keys.values));
  if (call.outputs > 2) results.push_back(array_of(types[2].dtype, types[2].dims, values.values));
  return results;
}

// Positions that are looked up in the tables of angles: those stated or, without them, one a row of a prompt, whose
// samples all begin at 0, and else one for each row of each sample, behind its own cache. None without a rotation.
double positions(const OpCall& call, const Shape& shape) {
  if (call.attributes.int_or("do_rotary", 0) == 0) return 0;
  if (call.has(kPositions)) return count_of(tensor_operand(call, kPositions));
  return static_cast<double>(std::max<int64_t>(shape.rows, 0)) *
         static_cast<double>(shape.keys == shape.rows ? 1 : std::max<int64_t>(shape.batch, 0));
}

// Sequences are independent of each other, with their lengths and caches. So are heads of keys, with the queries that
// share them, where queries, keys and values are operands of their own: packed, heads of all three lie side by side.
Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const char head = call.has(kKey) ? 'n' : '.';
  std::vector<std::string> inputs;
  for (size_t i = 0; i < call.arity(); ++i) {
    const Dims dims      = call.has(i) ? tensor_operand(call, i).dims : Dims();
    const bool every_one = (i >= kTotal && i <= kSine) || i == kSink || (i == kAdded && dims[0] == 1);
    std::string operand  = dims.empty() ? "" : every_one ? dots(dims.size()) : "b" + dots(dims.size() - 1);
    const bool has_heads = i <= kPastValue || i == kSink || (i == kAdded && dims.size() == 4 && dims[1] != 1);
    const size_t dim     = i <= kValue ? 2 : i == kSink ? 0 : 1;
    if (has_heads && dim < operand.size()) operand[dim] = head;
    inputs.push_back(operand);
  }
  const std::string cache = std::string("b") + head + "..";
  std::vector<std::string> outputs(call.outputs, cache);
  outputs[0] = std::string("b.") + head;
  return {.text    = factor_text(call, inputs, outputs),
          .grouped = head == '.' ? char{0} : head,
          .blocks  = static_cast<int>(call.attributes.get_int("kv_num_heads"))};
}

void fit_part(Attributes& attributes, const OpCall& whole, std::span<const Type>, const ir::PartOfCall& part) {
  constexpr int32_t kHeads = 2;
  if (part.result_dim != kHeads) return;
  for (const char* const number : {"num_heads", "kv_num_heads"})
    attributes.set(number, whole.attributes.get_int(number) / part.ways);
}

std::vector<Sample> samples() {
  const auto i32 = [](const Dims& dims, const std::vector<int64_t>& values) {
    return array_of(DType::i32, dims, values);
  };
  const Type lengths = Type::tensor(DType::i32, {2}), total = Type::tensor(DType::i32, {});
  const Type cache = f32({2, 2, 4, 2}), table = f32({8, 1});
  const Attributes heads{{"num_heads", 4}, {"kv_num_heads", 2}};
  Attributes rotary = heads;
  Attributes sunk   = heads;
  sunk.set("softcap", 2.0);
  rotary.set("do_rotary", int64_t{1}).set("local_window_size", int64_t{3});
  return {{heads,
           {f32({2, 3, 8}), f32({2, 3, 4}), f32({2, 3, 4}), {}, {}, lengths, total},
           {{5, i32({2}, {2, 2})}, {6, i32({}, {3})}},
           3},
          {sunk,
           {f32({2, 1, 16}), {}, {}, cache, cache, lengths, total, {}, {}, {}, f32({2, 1, 1, 5}), f32({4})},
           {{5, i32({2}, {2, 4})}, {6, i32({}, {5})}},
           1},
          {sunk,
           {f32({2, 1, 8}),
            f32({2, 1, 4}),
            f32({2, 1, 4}),
            cache,
            cache,
            lengths,
            total,
            {},
            {},
            {},
            f32({1, 4, 1, 5}),
            f32({4})},
           {{5, i32({2}, {2, 4})}, {6, i32({}, {5})}},
           3},
          {rotary,
           {f32({2, 1, 16}), {}, {}, cache, cache, lengths, total, table, table},
           {{5, i32({2}, {2, 4})}, {6, i32({}, {5})}},
           3}};
}

}  // namespace

OpDef row() {
  return {
      .name = "GroupQueryAttention",
      .doc =
          "query[b,s,n*h], key and value[b,s,m*h], cache, lengths -> causal attention [b,s,n*h], n/m query heads a key "
          "head, cache",
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
            const double flops =
                attention_flops(shape.batch, shape.heads, shape.rows, shape.keys, shape.size, shape.size);
            return looking_up(computes(call, outputs, flops), call, kCosine, kSine, positions(call, shape));
          },
      .eval    = eval,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::group_query_attention
