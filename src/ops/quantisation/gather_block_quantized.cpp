#include "foreflow/base/nth.h"
#include "foreflow/ir/countable.h"
#include "ops/common/axes.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/packed_bits.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::gather_block_quantized {

namespace {

// Operands: table[rows,k] (bytes that hold several numbers each, or numbers of 4 bits), indices, scales[rows,blocks],
// zero points.
constexpr size_t kIndices = 1, kScales = 2, kZero = 3;

int64_t numbers_in_byte(const OpCall& call) {
  return tensor_operand(call, 0).dtype == DType::u8 ? 8 / bits_attribute(call, 4) : 1;
}

int64_t block(const OpCall& call) { return call.attributes.int_or("block_size", 128); }

// Scales and zero points for the blocks of each row.
void check_blocks(const OpCall& call, int64_t rows, int64_t k) {
  const int64_t blocks = (k + block(call) - 1) / block(call);
  check_elements(call, kScales, "scales", {rows, blocks});
  const bool packed = tensor_operand(call, 0).dtype == DType::u8;
  if (call.has(kZero)) check_zero_points(call, kZero, packed ? bits_attribute(call, 4) : 8, rows, blocks);
}

std::vector<Type> infer(const OpCall& call) {
  check_block_size(call, block(call));
  const Type table = tensor_operand(call, 0), indices = tensor_operand(call, kIndices),
             scales = tensor_operand(call, kScales);
  if (!has_rank(table) || !has_rank(indices) || scales.kind == Type::Kind::unknown) return {without_dims(scales)};
  const size_t rank = table.dims.size();
  if (rank != 2 || normal_axis(call, call.attributes.int_or("gather_axis", 0), rank) != 0 ||
      normal_axis(call, call.attributes.int_or("quantize_axis", 1), rank) != 1)
    call.fail("the table is " + to_string(table.dims) +
              "; only rows of a table [rows,k] that are quantised along k can be gathered");
  if (has_dims(table)) check_blocks(call, table.dims[0], ir::clamped_product(table.dims[1], numbers_in_byte(call)));
  Dims dims = indices.dims;
  dims.push_back(table.dims[1] == Dims::kUnknown ? Dims::kUnknown
                                                 : ir::clamped_product(table.dims[1], numbers_in_byte(call)));
  return {Type::tensor(scales.dtype, dims)};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& table = value_of(call, 0);
  const Type result  = infer(call)[0];
  const int64_t rows = table.dims()[0], k = result.dims.back(), stored = table.dims()[1];
  const int64_t length = block(call), blocks = (k + length - 1) / length;
  const bool packed  = table.dtype() == DType::u8;
  const int64_t bits = packed ? bits_attribute(call, 4) : 8;
  const auto scales  = values_of<double>(value_of(call, kScales));
  const auto zeros   = packed || call.has(kZero) ? zero_points(call, kZero, bits, rows, blocks)
                                                 : std::vector<double>(static_cast<size_t>(rows * blocks));
  const PackedBits numbers(table, bits);
  const auto plain = packed ? std::vector<double>() : values_of<double>(table);
  std::vector<double> y;
  for (int64_t row : value_of(call, kIndices).to_ints()) {
    if (row < 0) row += rows;
    if (row < 0 || row >= rows) call.fail("index " + std::to_string(row) + " is not a row of the table");
    for (int64_t i = 0; i < k; ++i) {
      const auto block    = static_cast<size_t>(row * blocks + i / length);
      const double number = packed ? numbers.at(row, i, stored) : nth(plain, row * stored + i);
      y.push_back((number - zeros[block]) * scales[block]);
    }
  }
  return {array_of(result.dtype, result.dims, y)};
}

}  // namespace

OpDef row() {
  return {
      .name   = "GatherBlockQuantized",
      .doc    = "table[rows,k] of few bits, indices, scales[rows,blocks], zero points -> the unpacked rows [..,k]",
      .domain = "com.microsoft",
      .whole_because = "its indices may point anywhere along that dimension",
      .infer         = infer,
      .factors       = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const std::string rows = letters(tensor_operand(call, kIndices).dims.size());
        return {.text = factor_text(call, {"..", rows}, {rows + "."})};
      },
      // The rows that are read, not the table.
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            Work work        = computes(call, outputs, 2 * count_of(outputs[0]));
            const Type table = tensor_operand(call, 0), indices = tensor_operand(call, kIndices);
            const double rows   = has_dims(table) ? static_cast<double>(std::max<int64_t>(table.dims[0], 1)) : 1;
            const double wanted = has_dims(indices) ? std::min(count_of(indices), rows) : rows;
            const Bytes all     = bytes_of(table) + bytes_of(call.inputs[kScales]);
            work.read           = bytes_of(indices) + all * (wanted / rows);
            return work;
          },
      .eval = eval,
      .samples =
          [] {
            const Type table = Type::tensor(DType::u8, {4, 2});
            const std::pair<size_t, Array> indices{kIndices, Array::of_ints({2, 2}, {3, 0, 1, 1})};
            return std::vector<Sample>{
                {{{"block_size", 2}}, {table, i64({2, 2}), f32({4, 2})}, {indices}},
                {{{"block_size", 2}, {"bits", 8}}, {table, i64({2, 2}), f32({4, 1})}, {indices}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::gather_block_quantized
