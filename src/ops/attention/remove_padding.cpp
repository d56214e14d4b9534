#include <algorithm>

#include "ops/attention/attention_core.h"
#include "ops/common/expected.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::remove_padding {

namespace {

// Operands: x[b,s,h], whose padding is behind the tokens of a sample, and the number of tokens of every sample.
constexpr size_t kCounts = 1;

// Fails for numbers that x has no room for.
std::vector<int64_t> counts_of(const OpCall& call, const Array& numbers) {
  const Type x                = tensor_operand(call, 0);
  std::vector<int64_t> counts = numbers.to_ints();
  for (const int64_t count : counts) {
    if (count < 0 || (has_rank(x) && x.dims[1] >= 0 && count > x.dims[1]))
      call.fail("a sample of " + std::to_string(count) + " tokens does not fit " + to_string(x.dims));
  }
  return counts;
}

// Results: tokens[t,h], token_offset[b,s], cumulative lengths[b+1], the greatest length[1].
std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  if (has_rank(x) && x.dims.size() != 3) call.fail("x is " + to_string(x.dims) + "; [b,s,h] would be right");
  const int64_t batch = has_rank(x) ? x.dims[0] : Dims::kUnknown;
  check_dims(call, kCounts, {batch}, "sequence_token_count");
  int64_t tokens = Dims::kUnknown;
  if (call.known[kCounts] != nullptr) {
    tokens = 0;
    for (const int64_t count : counts_of(call, *call.known[kCounts])) tokens += count;
  }
  const auto ints = [](const Dims& dims) { return Type::tensor(DType::i32, dims); };
  std::vector<Type> types{with_dims(x, {tokens, has_rank(x) ? x.dims[2] : Dims::kUnknown}),
                          ints({batch, has_rank(x) ? x.dims[1] : Dims::kUnknown}), ints({plus_dim(batch, 1)}),
                          ints({1})};
  if (call.outputs < types.size()) types.resize(call.outputs);
  return types;
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x     = value_of(call, 0);
  const auto count   = counts_of(call, value_of(call, kCounts));
  const int64_t room = x.dims()[1], width = x.dims()[2];
  std::vector<int64_t> places, padding, bounds{0};
  for (size_t b = 0; b < count.size(); ++b) {
    for (int64_t i = 0; i < room; ++i) (i < count[b] ? places : padding).push_back(static_cast<int64_t>(b) * room + i);
    bounds.push_back(bounds.back() + count[b]);
  }
  const auto values = values_of<double>(x);
  std::vector<double> tokens;
  for (const int64_t place : places)
    tokens.insert(tokens.end(), values.begin() + place * width, values.begin() + (place + 1) * width);
  const auto number = static_cast<int64_t>(places.size());
  places.insert(places.end(), padding.begin(), padding.end());
  const auto longest = count.empty() ? 0 : *std::max_element(count.begin(), count.end());
  std::vector<Array> results{array_of(x.dtype(), {number, width}, tokens),
                             array_of(DType::i32, {x.dims()[0], room}, places),
                             array_of(DType::i32, {static_cast<int64_t>(bounds.size())}, bounds),
                             array_of<int64_t>(DType::i32, {1}, {longest})};
  results.resize(std::min(results.size(), call.outputs), results.front());
  return results;
}

// Samples have different lengths, but the numbers of a token are independent of each other. Places and lengths do not
// depend on them: parts of h would each give all of these.
Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  if (call.outputs == 1) return {.text = factor_text(call, {"..h"}, {".h"})};
  std::vector<std::string> outputs{"..", "..", ".", "."};
  outputs.resize(std::min(outputs.size(), call.outputs));
  return {.text = factor_text(call, {}, outputs)};
}

// The gradient of padding is lost.
void grad(GradBuilder& builder) {
  if (!builder.wanted(0)) return;
  const int places = builder.call().outputs > 1
                         ? builder.output(1)
                         : builder.emit("RemovePadding", {}, {builder.input(0), builder.input(kCounts)}, 2)[1];
  builder.set_input_gradient(0, builder.emit("RestorePadding", {}, {builder.output_gradient(0), places})[0]);
}

}  // namespace

OpDef row() {
  return {
      .name = "RemovePadding",
      .doc =
          "x[b,s,h], numbers of tokens[b] -> the t tokens of all samples [t,h], token_offset[b,s], cumulative "
          "lengths[b+1], the greatest length[1]",
      .domain        = "com.microsoft",
      .whole_because = "how many tokens it keeps depends on the lengths of all samples",
      .infer         = infer,
      .factors       = factors,
      .work          = copies_by_index,
      .eval          = eval,
      .grad          = grad,
      .samples =
          [] {
            const std::vector<std::pair<size_t, Array>> counts{{kCounts, array_of<int64_t>(DType::i32, {2}, {1, 2})}};
            const std::vector<Type> types{f32({2, 3, 4}), Type::tensor(DType::i32, {2})};
            return std::vector<Sample>{{{}, types, counts, 4}, {{}, types, counts}};
          },
  };
}

}  // namespace foreflow::ops::definitions::remove_padding
