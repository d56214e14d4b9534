#include "foreflow/base/nth.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/normalisation.h"
#include "ops/common/table_rows.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::embed_layer_normalization {

namespace {

// Operands: token and segment numbers, the three tables, scale, bias, mask, position numbers.
constexpr size_t kTokens = 0, kSegments = 1, kWords = 2, kPositions = 3, kSegmentTable = 4, kGamma = 5, kBeta = 6,
                 kMask = 7, kPositionIds = 8;

// Results: y[b,s,h], mask_index[b] (the number of tokens of every sequence), the sum of the embeddings.
std::vector<Type> infer(const OpCall& call) {
  if (call.arity() <= kBeta)
    call.fail("has " + std::to_string(call.arity()) +
              " operands; input_ids, segment_ids, three tables, gamma and beta would be right");
  const Type ids = tensor_operand(call, kTokens), words = tensor_operand(call, kWords);
  if (has_rank(ids) && ids.dims.size() != 2)
    call.fail("input_ids are " + to_string(ids.dims) + "; they should be [b,s]");
  if (has_rank(words) && words.dims.size() != 2)
    call.fail("word_embedding is " + to_string(words.dims) + "; it should be a matrix");
  const int64_t batch  = has_rank(ids) ? ids.dims[0] : Dims::kUnknown,
                length = has_rank(ids) ? ids.dims[1] : Dims::kUnknown,
                width  = has_rank(words) ? words.dims[1] : Dims::kUnknown;
  std::vector<Type> types{with_dims(words, {batch, length, width})};
  if (call.outputs > 1) types.push_back(Type::tensor(DType::i32, {batch}));
  if (call.outputs > 2) types.push_back(types[0]);
  return types;
}

// rows[number of each element of `ids`]; elements that are left out count the positions 0, 1, .. of [b,s].
std::vector<double> embedded(const OpCall& call, const Array& table_of_rows, const Array* ids) {
  const Array& tokens = value_of(call, kTokens);
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < tokens.size(); ++i) {
    const int64_t at = ids == nullptr ? i % tokens.dims()[1] : i % ids->size();
    numbers.push_back(ids == nullptr ? at : nth(ids->to_ints(), at));
  }
  const Array indices = Array::of_ints(tokens.dims(), numbers);
  return values_of<double>(evaluate("Gather", {{"axis", int64_t{0}}}, {&table_of_rows, &indices})[0]);
}

// How many tokens each sequence has: those that the mask marks, all without a mask.
Array lengths(const OpCall& call) {
  const Dims& dims = value_of(call, kTokens).dims();
  std::vector<int64_t> counts(static_cast<size_t>(dims[0]), call.has(kMask) ? 0 : dims[1]);
  if (call.has(kMask)) {
    const auto mask = value_of(call, kMask).to_ints();
    for (size_t i = 0; i < mask.size(); ++i) counts[i / static_cast<size_t>(dims[1])] += mask[i] != 0 ? 1 : 0;
  }
  return array_of(DType::i32, {dims[0]}, counts);
}

std::vector<Array> eval(const OpCall& call) {
  const Type type = infer(call)[0];
  auto sum        = embedded(call, value_of(call, kWords), &value_of(call, kTokens));
  const auto add  = [&](const std::vector<double>& terms) {
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += terms[i];
  };
  add(embedded(call, value_of(call, kPositions), call.has(kPositionIds) ? &value_of(call, kPositionIds) : nullptr));
  if (call.has(kSegments) && call.has(kSegmentTable))
    add(embedded(call, value_of(call, kSegmentTable), &value_of(call, kSegments)));
  const auto row_length = static_cast<size_t>(type.dims[2]);
  const Moments moments = moments_of(sum, row_length, call.attributes.float_or("epsilon", 1e-12));
  const auto y          = normalised(sum, row_length, moments, spread(value_of(call, kGamma), type.dims),
                                     spread(value_of(call, kBeta), type.dims));
  std::vector<Array> results{array_of(type.dtype, type.dims, y)};
  if (call.outputs > 1) results.push_back(lengths(call));
  if (call.outputs > 2) results.push_back(array_of(type.dtype, type.dims, sum));
  return results;
}

// Sequences are independent of each other; position numbers may be shared by all.
Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const int64_t batch = tensor_operand(call, kTokens).dims[0];
  std::vector<std::string> inputs;
  for (size_t i = 0; i < call.arity(); ++i) {
    const Dims dims = call.has(i) ? tensor_operand(call, i).dims : Dims();
    const bool own  = i == kTokens || i == kSegments || i == kMask || (i == kPositionIds && dims[0] == batch);
    inputs.push_back(call.has(i) ? (own ? "b" + dots(dims.size() - 1) : dots(dims.size())) : "");
  }
  std::vector<std::string> outputs{"b..", "b", "b.."};
  outputs.resize(call.outputs);
  return {.text = factor_text(call, inputs, outputs)};
}

}  // namespace

OpDef row() {
  return {
      .name = "EmbedLayerNormalization",
      .doc =
          "tokens[b,s], segments[b,s], tables[..,h] -> LayerNormalization of the sum of their rows, lengths[b], the "
          "sum",
      .domain        = "com.microsoft",
      .normalises    = true,
      .whole_because = "it normalises along that dimension",
      .infer         = infer,
      .factors       = factors,
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            Work work  = copies_outputs(call, outputs);  // of the tables, only the rows that are looked up
            work.read  = bytes_of(outputs[0]) * (call.has(kSegments) ? 3 : 2);
            work.flops = Flops((kNormalisationFlops + 2) * count_of(outputs[0]));
            return work;
          },
      .eval = eval,
      .samples =
          [] {
            const auto ids = [](size_t index, const std::vector<int64_t>& numbers) {
              return std::pair{index, Array::of_ints({2, 3}, numbers)};
            };
            const Type numbers = i64({2, 3});
            return std::vector<Sample>{
                {{},
                 {numbers, numbers, f32({5, 4}), f32({3, 4}), f32({2, 4}), f32({4}), f32({4}), numbers},
                 {ids(0, {0, 4, 2, 1, 1, 3}), ids(1, {0, 0, 1, 0, 1, 1}), ids(7, {1, 1, 0, 1, 1, 1})},
                 3},
                {{}, {numbers, {}, f32({5, 4}), f32({3, 4}), {}, f32({4}), f32({4})}, {ids(0, {0, 4, 2, 1, 1, 3})}, 2}};
          },
  };
}

}  // namespace foreflow::ops::definitions::embed_layer_normalization
