#include "foreflow/base/nth.h"
#include "ops/common/axes.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/packed_bits.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::mat_mul_n_bits {

namespace {

// Operands: x[..,K], w[N,blocks,bytes of a block], scales[N,blocks], zero points (packed as w, or in the type of the
// scales), group of each k, bias[N].
constexpr size_t kWeight = 1, kScales = 2, kZero = 3, kGroup = 4, kBias = 5;

int64_t columns(const OpCall& call) { return call.attributes.get_int("N"); }
int64_t depth(const OpCall& call) { return call.attributes.get_int("K"); }
int64_t bits(const OpCall& call) { return bits_attribute(call, 4); }
int64_t block(const OpCall& call) { return call.attributes.get_int("block_size"); }
int64_t blocks(const OpCall& call) { return (depth(call) + block(call) - 1) / block(call); }

// Far above any weight, and small enough that products of them do not overflow.
constexpr int64_t kLargest = int64_t{1} << 30;

void check_sizes(const OpCall& call) {
  for (const char* const name : {"K", "N"}) {
    const int64_t size = call.attributes.get_int(name);
    if (size < 1 || size > kLargest)
      call.fail(std::string(name) + " is " + std::to_string(size) + "; 1 to 2^30 would be right");
  }
  check_block_size(call, block(call));
}

// The group of each k, perhaps with those of the padding of the last block.
void check_groups(const OpCall& call) {
  if (!call.has(kGroup)) return;
  const Type groups = tensor_operand(call, kGroup);
  if (has_dims(groups) && element_count(groups.dims) < depth(call))
    call.fail("the groups are " + to_string(groups.dims) + "; one for each of K = " + std::to_string(depth(call)) +
              " would be right");
}

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0), w = tensor_operand(call, kWeight);
  check_sizes(call);
  if (!has_rank(x)) return {x};
  if (x.dims.empty() || (x.dims.back() != Dims::kUnknown && x.dims.back() != depth(call)))
    call.fail("x is " + to_string(x.dims) + "; its last dimension should be K, " + std::to_string(depth(call)));
  if (w.kind != Type::Kind::unknown && w.dtype != DType::u8)
    call.fail("the weight is " + std::string(ir::name(w.dtype)) + "; UInt8 would be right");
  check_elements(call, kWeight, "the weight", {columns(call), blocks(call), (block(call) * bits(call) + 7) / 8});
  check_elements(call, kScales, "the scales", {columns(call), blocks(call)});
  if (call.has(kZero)) check_zero_points(call, kZero, bits(call), columns(call), blocks(call));
  if (call.has(kBias)) check_elements(call, kBias, "the bias", {columns(call)});
  check_groups(call);
  Dims dims             = x.dims;
  dims[dims.size() - 1] = columns(call);
  return {with_dims(x, dims)};
}

// Row n of the weight, as numbers.
std::vector<double> weight(const OpCall& call) {
  const int64_t size = bits(call), length = block(call), count = blocks(call), k = depth(call);
  const PackedBits packed(value_of(call, kWeight), size);
  const auto scales               = values_of<double>(value_of(call, kScales));
  const std::vector<double> zeros = zero_points(call, kZero, size, columns(call), count);
  const auto groups               = call.has(kGroup) ? value_of(call, kGroup).to_ints() : std::vector<int64_t>();
  std::vector<double> all;
  for (int64_t n = 0; n < columns(call); ++n) {
    for (int64_t i = 0; i < k; ++i) {
      const int64_t of_k = groups.empty() ? i / length : nth(groups, i);
      if (of_k < 0 || of_k >= count)
        call.fail("a group is " + std::to_string(of_k) + "; less than " + std::to_string(count) + " would be right");
      const int64_t group = n * count + of_k;
      const double number = packed.at(n * count + i / length, i % length, (length * size + 7) / 8);
      all.push_back((number - nth(zeros, group)) * nth(scales, group));
    }
  }
  return all;
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x   = value_of(call, 0);
  const auto xs    = values_of<double>(x);
  const auto w     = weight(call);
  const auto bias  = call.has(kBias) ? values_of<double>(value_of(call, kBias)) : std::vector<double>();
  const auto inner = static_cast<size_t>(depth(call)), outer = static_cast<size_t>(columns(call));
  std::vector<double> y;
  for (size_t row = 0; row < xs.size() / std::max<size_t>(inner, 1); ++row) {
    for (size_t n = 0; n < outer; ++n) {
      double sum = bias.empty() ? 0 : bias[n];
      for (size_t i = 0; i < inner; ++i) sum += xs[row * inner + i] * w[n * inner + i];
      y.push_back(sum);
    }
  }
  return {array_of(x.dtype(), infer(call)[0].dims, y)};
}

// Blocks lie along k, so that k may be split where scales have a dimension of their own for them.
Factors factors(const OpCall& call) {
  if (!splittable(call) || call.has(kGroup)) return {};
  const size_t rank = tensor_operand(call, 0).dims.size();
  if (rank < 1) return {};
  std::string x       = letters(rank);
  std::string y       = x;
  x.back()            = 'k';
  y.back()            = 'n';
  const auto by_block = [&](size_t operand) {
    return !call.has(operand) || tensor_operand(call, operand).dims.size() == 2;
  };
  const bool whole_blocks = depth(call) % block(call) == 0 && by_block(kScales) && by_block(kZero) &&
                            (!call.has(kZero) || packs_evenly(call, kZero, bits(call), blocks(call)));
  if (!whole_blocks) x.back() = '.';
  const std::string table = whole_blocks ? "nk" : "n";
  const auto text         = [&](size_t operand, const std::string& own) {
    return call.has(operand) ? own.substr(0, tensor_operand(call, operand).dims.size()) +
                                   dots(tensor_operand(call, operand).dims.size() -
                                                std::min(own.size(), tensor_operand(call, operand).dims.size()))
                                     : std::string();
  };
  return {.text = factor_text(
              call,
              {x, text(kWeight, table), text(kScales, table), text(kZero, table), "", call.has(kBias) ? "+n" : ""},
              {y})};
}

void fit_part(Attributes& attributes, const OpCall& whole, std::span<const Type> outputs, const ir::PartOfCall& part) {
  const auto last = static_cast<int32_t>(tensor_operand(whole, 0).dims.size()) - 1;
  if (part.operand_dim == last) attributes.set("K", depth(whole) / part.ways);
  const bool by_column = part.result_dim == static_cast<int32_t>(outputs[0].dims.size()) - 1;
  if (by_column) attributes.set("N", columns(whole) / part.ways);
}

Work work(const OpCall& call, std::span<const Type> outputs) {
  const double unpacked = static_cast<double>(columns(call)) * static_cast<double>(depth(call));
  return computes(call, outputs, 2 * count_of(outputs[0]) * static_cast<double>(depth(call)) + 2 * unpacked);
}

std::vector<Sample> samples() {
  const auto bytes = [](const Dims& dims) { return Type::tensor(DType::u8, dims); };
  const Attributes four{{"K", 8}, {"N", 2}, {"block_size", 4}, {"bits", 4}};
  const Attributes eight{{"K", 6}, {"N", 2}, {"block_size", 4}, {"bits", 8}};
  return {{four, {f32({2, 4, 8}), bytes({2, 2, 2}), f32({2, 2})}},
          {four, {f32({4, 8}), bytes({2, 2, 2}), f32({4}), bytes({2}), {}, f32({2})}},
          {eight, {f32({2, 6}), bytes({2, 2, 4}), f32({2, 2}), f32({2, 2})}}};
}

}  // namespace

OpDef row() {
  return {
      .name = "MatMulNBits",
      .doc =
          "x[..,k], w[n,blocks,bytes] of `bits` each, scales[n,blocks], zero points, bias -> x times the unpacked "
          "weight, [..,n]",
      .domain        = "com.microsoft",
      .fit_part      = fit_part,
      .whole_because = "a range of numbers that share one scale spans it",
      .infer         = infer,
      .factors       = factors,
      .work          = work,
      .eval          = eval,
      .samples       = samples,
  };
}

}  // namespace foreflow::ops::definitions::mat_mul_n_bits
