#include <algorithm>

#include "foreflow/base/nth.h"
#include "ops/attention/attention_core.h"
#include "ops/attention/fused_attention.h"
#include "ops/common/expected.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::packed_multi_head_attention {

namespace {

// Operands: query, key, value, bias, token_offset[b,s], cumulative_sequence_length[b+1], attention_bias[b,n,s,s]. The t
// tokens of all samples stand one behind the other, without padding: those of sample i are the rows from the
// cumulative length i on, up to the next one. The query is [t,n*h], or all three are packed in it, [t,n,3,h]; the key
// is [t,n*h], the value [t,n*hv].
constexpr size_t kKey = 1, kValue = 2, kBias = 3, kOffsets = 4, kLengths = 5, kAdded = 6;

struct Shape {
  int64_t tokens = Dims::kUnknown, batch = Dims::kUnknown, longest = Dims::kUnknown, heads = 0;
  int64_t size = Dims::kUnknown, value_size = Dims::kUnknown;
};

// Returns true if keys and values are in the query, too.
bool is_packed(const OpCall& call) {
  const Type query = tensor_operand(call, 0);
  return has_rank(query) && query.dims.size() == 4;
}

void read_query(const OpCall& call, Shape& shape) {
  const Type query = tensor_operand(call, 0);
  if (!has_rank(query)) return;
  if (query.dims.size() != 2 && query.dims.size() != 4)
    call.fail("query is " + to_string(query.dims) + "; [t,n*h], or [t,n,3,h] with keys and values, would be right");
  shape.tokens = query.dims[0];
  if (query.dims.size() == 4) {
    shape.size = shape.value_size = query.dims[3];
    if (call.has(kKey) || call.has(kValue)) call.fail("has keys or values beside a query that holds them already");
    return;
  }
  shape.size = per_head(call, query.dims[1], shape.heads);
  if (!call.has(kKey) || !call.has(kValue)) call.fail("needs a key and a value beside a query [t,n*h]");
  const Type value = tensor_operand(call, kValue);
  if (has_rank(value) && value.dims.size() == 2) shape.value_size = per_head(call, value.dims[1], shape.heads);
}

Shape shape_of(const OpCall& call) {
  Shape shape;
  shape.heads = call.attributes.get_int("num_heads");
  if (shape.heads < 1) call.fail("num_heads is " + std::to_string(shape.heads) + "; at least 1 would be right");
  if (!call.has(kOffsets) || !call.has(kLengths)) call.fail("needs token_offset and cumulative_sequence_length");
  read_query(call, shape);
  const Type offsets = tensor_operand(call, kOffsets);
  if (has_rank(offsets) && offsets.dims.size() == 2) {
    shape.batch   = offsets.dims[0];
    shape.longest = offsets.dims[1];
  }
  return shape;
}

void check_operands(const OpCall& call, const Shape& shape) {
  const int64_t columns = times_dim(shape.heads, shape.size), of_values = times_dim(shape.heads, shape.value_size);
  if (is_packed(call)) check_dims(call, 0, {shape.tokens, shape.heads, 3, shape.size}, "query");
  check_dims(call, kKey, {shape.tokens, columns}, "key");
  check_dims(call, kValue, {shape.tokens, of_values}, "value");
  check_dims(call, kBias, {plus_dim(times_dim(2, columns), of_values)}, "the bias");
  check_dims(call, kOffsets, {shape.batch, shape.longest}, "token_offset");
  check_dims(call, kLengths, {plus_dim(shape.batch, 1)}, "cumulative_sequence_length");
  check_dims(call, kAdded, {Dims::kUnknown, Dims::kUnknown, shape.longest, shape.longest}, "attention_bias");
}

std::vector<Type> infer(const OpCall& call) {
  const Shape shape = shape_of(call);
  check_operands(call, shape);
  return {with_dims(tensor_operand(call, 0), {shape.tokens, times_dim(shape.heads, shape.value_size)})};
}

// The first row of every sample, and the number of all rows.
std::vector<int64_t> bounds_of(const OpCall& call, const Shape& shape) {
  std::vector<int64_t> bounds = value_of(call, kLengths).to_ints();
  bool fits                   = bounds.front() == 0 && bounds.back() == shape.tokens;
  for (size_t i = 1; i < bounds.size(); ++i)
    fits = fits && bounds[i] >= bounds[i - 1] && bounds[i] - bounds[i - 1] <= shape.longest;
  if (!fits)
    call.fail("cumulative_sequence_length should rise from 0 to the " + std::to_string(shape.tokens) +
              " tokens in steps of at most " + std::to_string(shape.longest));
  return bounds;
}

// Columns of q (part 0), k (1) or v (2) of all heads, with their bias, as one sample of all tokens.
HeadTensor heads_in(const OpCall& call, const Shape& shape, int64_t part, int64_t size) {
  const bool packed   = is_packed(call);
  const Array& x      = value_of(call, packed ? 0 : static_cast<size_t>(part));
  const Columns place = {.first = packed ? part * size : 0, .stride = packed ? 3 * size : size};
  HeadTensor result   = heads_of(values_of<double>(x), {1, shape.tokens, x.size()}, place, shape.heads, size);
  if (!call.has(kBias)) return result;
  const auto bias = values_of<double>(value_of(call, kBias));
  for (size_t i = 0; i < result.values.size(); ++i) {
    const auto element = static_cast<int64_t>(i), head = element / (size * result.rows);
    result.values[i] += nth(bias, (part * shape.heads * shape.size) + head * size + element % size);
  }
  return result;
}

// Rows `first` to `last` - 1 of every head.
HeadTensor rows_of(const HeadTensor& all, int64_t first, int64_t last) {
  HeadTensor part = all;
  part.rows       = last - first;
  part.values.clear();
  for (int64_t n = 0; n < all.heads; ++n) {
    const auto head = all.values.begin() + n * all.rows * all.size;
    part.values.insert(part.values.end(), head + first * all.size, head + last * all.size);
  }
  return part;
}

std::vector<Array> eval(const OpCall& call) {
  const Shape shape    = shape_of(call);
  const auto bounds    = bounds_of(call, shape);
  const HeadTensor q   = heads_in(call, shape, 0, shape.size);
  const HeadTensor k   = heads_in(call, shape, 1, shape.size);
  const HeadTensor v   = heads_in(call, shape, 2, shape.value_size);
  const ScoreBias bias = call.has(kAdded)
                             ? added_bias(call, kAdded, {shape.batch, shape.heads, shape.longest, shape.longest})
                             : ScoreBias();
  std::vector<double> rows;
  for (int64_t b = 0; b + 1 < static_cast<int64_t>(bounds.size()); ++b) {
    const int64_t first = nth(bounds, b), last = bounds[static_cast<size_t>(b) + 1];
    if (first == last) continue;
    Scores scores{.scale = attention_scale(call, shape.size)};
    if (bias) scores.biases.push_back([&, b](int64_t, int64_t n, int64_t i, int64_t j) { return bias(b, n, i, j); });
    const auto y = merged(attend(rows_of(q, first, last), rows_of(k, first, last), rows_of(v, first, last), scores));
    rows.insert(rows.end(), y.begin(), y.end());
  }
  return {array_of(tensor_operand(call, 0).dtype, infer(call)[0].dims, rows)};
}

// A token sees those of its own sample: the sum of the squares of the lengths. Where these are not known, they are
// taken to be equal, which makes that sum the smallest.
Work work(const OpCall& call, std::span<const Type> outputs) {
  const Shape shape = shape_of(call);
  if (std::min({shape.tokens, shape.batch, shape.size, shape.value_size}) < 0) return moves(call, outputs);
  double pairs = shape.batch == 0 ? 0
                                  : static_cast<double>(shape.tokens) * static_cast<double>(shape.tokens) /
                                        static_cast<double>(shape.batch);
  if (call.known[kLengths] != nullptr) {
    const auto bounds = bounds_of(call, shape);
    pairs             = 0;
    for (size_t i = 1; i < bounds.size(); ++i) {
      const auto length = static_cast<double>(bounds[i] - bounds[i - 1]);
      pairs += length * length;
    }
  }
  return computes(call, outputs, pairs * attention_flops(1, shape.heads, 1, 1, shape.size, shape.value_size));
}

std::vector<Sample> samples() {
  const Attributes two{{"num_heads", 2}};
  const Type offsets = Type::tensor(DType::i32, {2, 3}), lengths = Type::tensor(DType::i32, {3});
  const std::vector<std::pair<size_t, Array>> places{
      {kOffsets, array_of<int64_t>(DType::i32, {2, 3}, {0, 3, 4, 1, 2, 5})},
      {kLengths, array_of<int64_t>(DType::i32, {3}, {0, 1, 3})}};
  return {{two, {f32({3, 4}), f32({3, 4}), f32({3, 6}), f32({14}), offsets, lengths, f32({1, 2, 3, 3})}, places},
          {two, {f32({3, 2, 3, 4}), {}, {}, {}, offsets, lengths}, places}};
}

// Columns of q, k and v [t,n*h], and how many each has; empty: in another form.
std::pair<std::vector<int>, std::vector<int64_t>> packed_columns(const FusedCall& fused) {
  const Dims q = fused.type(0).dims;
  if (q.size() == 4) {
    std::vector<int> columns = fused.builder.emit("Split", {{"axis", 2}, {"num_outputs", 3}}, {fused.operand(0)}, 3);
    for (int& part : columns) part = fused.emit("Reshape", {part}, {{"shape", std::vector<int64_t>{0, -1}}});
    return {columns, std::vector<int64_t>(3, q[1] * q[3])};
  }
  if (!fused.has(kValue) || !fused.type(kValue).resolved()) return {};
  return {{fused.operand(0), fused.operand(kKey), fused.operand(kValue)}, {q[1], q[1], fused.type(kValue).dims[1]}};
}

int row_numbers(const FusedCall& fused, int64_t count, int64_t step) {
  std::vector<int64_t> all(static_cast<size_t>(count));
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i) * step;
  return fused.integers(all);
}

int slice_of_rows(const FusedCall& fused, int x, int64_t from, int64_t to) {
  using Ints = std::vector<int64_t>;
  return fused.emit("Slice", {x}, {{"starts", Ints{from}}, {"ends", Ints{to}}, {"axes", Ints{0}}});
}

// Attention of the padded samples [b,s,..]: padding gets the numbers of some token, which no other token sees and
// nothing reads.
int unfused(CallBuilder& builder) {
  using Ints = std::vector<int64_t>;
  const FusedCall fused{builder};
  for (const size_t i : {size_t{0}, kOffsets, kLengths}) {
    if (!fused.type(i).resolved() || !fused.type(i).is_tensor()) return kLeftOut;
  }
  const int64_t heads = fused.attributes().get_int("num_heads"), tokens = fused.type(0).dims[0],
                batch = fused.type(kOffsets).dims[0], longest = fused.type(kOffsets).dims[1], room = batch * longest;
  if (tokens == 0) return kLeftOut;
  auto [columns, widths] = packed_columns(fused);
  if (columns.empty()) return kLeftOut;
  if (fused.has(kBias)) columns = with_biases(fused, columns, kBias, widths);
  // offsets: packed -> padded; places: padded -> packed.
  const Attributes integer{{"to", std::string("Int64")}};
  const int offsets =
      fused.emit("Cast", {fused.emit("Reshape", {fused.operand(kOffsets)}, {{"shape", Ints{-1}}})}, integer);
  const int order =
      fused.emit("ScatterElements", {row_numbers(fused, room, 0), offsets, row_numbers(fused, room, 1)}, {{"axis", 0}});
  const int last   = fused.emit("Constant", {}, {{"value", Array::scalar(tokens - 1)}});
  const int places = fused.emit("Min", {order, last});
  const int bounds = fused.emit("Cast", {fused.operand(kLengths)}, integer);
  const int counts =
      fused.emit("Sub", {slice_of_rows(fused, bounds, 1, batch + 1), slice_of_rows(fused, bounds, 0, batch)});
  const int flags =
      fused.emit("Less", {row_numbers(fused, longest, 1), fused.emit("Unsqueeze", {counts}, {{"axes", Ints{1}}})});
  std::vector<int> padded;
  for (size_t i = 0; i < 3; ++i) {
    const int rows = fused.emit("Gather", {columns[i], places}, {{"axis", 0}});
    padded.push_back(
        heads_of_columns(fused, fused.emit("Reshape", {rows}, {{"shape", Ints{batch, longest, widths[i]}}}), heads));
  }
  const int y    = unfused_attention(fused, {padded[0], padded[1], padded[2], widths[0] / heads}, flags, kAdded);
  const int rows = fused.emit("Reshape", {y}, {{"shape", Ints{room, widths[2]}}});
  return fused.emit("Gather", {rows, slice_of_rows(fused, offsets, 0, tokens)}, {{"axis", 0}});
}

}  // namespace

OpDef row() {
  return {
      .name = "PackedMultiHeadAttention",
      .doc =
          "q[t,n*h], k[t,n*h], v[t,n*hv], bias, token_offset[b,s], cumulative lengths[b+1] -> attention of the tokens "
          "of each sample [t,n*hv]",
      .domain        = "com.microsoft",
      .attention     = true,
      .whole_because = "it attends over all tokens of the batch, packed in one row",
      .infer         = infer,
      // Samples of different lengths stand in one dimension, and letters cannot name heads.
      .factors = [](const OpCall& call) -> Factors {
        return splittable(call) ? Factors{.text = factor_text(call, {}, {".."})} : Factors{};
      },
      .work    = work,
      .eval    = eval,
      .unfused = unfused,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::packed_multi_head_attention
