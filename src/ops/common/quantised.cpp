#include "ops/common/quantised.h"

#include <algorithm>
#include <cmath>

#include "foreflow/base/nth.h"
#include "ops/common/lanes.h"

namespace foreflow::ops {

int64_t quantise(double ratio, int64_t zero_point, DType dtype) {
  const bool has_sign = dtype == DType::i4 || dtype == DType::i8 || dtype == DType::i16;
  const double range = std::ldexp(1.0, ir::bits_of(dtype)), lowest = has_sign ? -range / 2 : 0,
               highest = lowest + range - 1;
  const double rounded = std::nearbyint(ratio) + static_cast<double>(zero_point);
  return static_cast<int64_t>(std::isnan(ratio) ? lowest : std::clamp(rounded, lowest, highest));
}

ByteRange range_of(float lowest, float highest) {
  lowest            = std::min(lowest, 0.0F);
  highest           = std::max(highest, 0.0F);
  const float scale = highest > lowest ? (highest - lowest) / 255.0F : 1;
  return {scale, quantise(-lowest / scale, 0, DType::u8)};
}

namespace {

std::vector<double> spread_blocks(const OpCall& call, size_t operand, const std::vector<double>& numbers,
                                  const Dims& dims, size_t axis) {
  const Dims blocks    = tensor_operand(call, operand).dims;
  const int64_t stated = call.attributes.int_or("block_size", 0), count = std::max<int64_t>(blocks[axis], 1),
                length = stated > 0 ? stated : (dims[axis] + count - 1) / count;
  Dims expected        = dims;
  expected[axis]       = (dims[axis] + length - 1) / length;
  if (blocks != expected)
    call.fail("operand " + std::to_string(operand) + " is " + to_string(blocks) + "; " + to_string(expected) +
              ", one number for each block of " + std::to_string(length) + ", would be right");
  std::vector<double> all(static_cast<size_t>(element_count(dims)));
  for (size_t i = 0; i < all.size(); ++i) {
    int64_t rest = static_cast<int64_t>(i), from = 0, step = 1;
    for (size_t d = dims.size(); d-- > 0;) {
      const int64_t at = rest % dims[d];
      rest /= dims[d];
      from += (d == axis ? at / length : at) * step;
      step *= blocks[d];
    }
    all[i] = nth(numbers, from);
  }
  return all;
}

}  // namespace

bool per_block(const OpCall& call, size_t operand, size_t rank) {
  const Type type = tensor_operand(call, operand);
  return rank > 1 && has_rank(type) && type.dims.size() == rank;
}

std::vector<double> spread_along(const OpCall& call, size_t operand, const Dims& dims, size_t axis) {
  const auto count = static_cast<size_t>(element_count(dims));
  if (!call.has(operand)) return std::vector<double>(count);
  const std::vector<double> numbers = values_of<double>(value_of(call, operand));
  if (numbers.size() == 1) return std::vector<double>(count, numbers[0]);
  if (per_block(call, operand, dims.size())) return spread_blocks(call, operand, numbers, dims, axis);
  const Lanes lanes = lanes_along(dims, axis);
  if (numbers.size() != lanes.length) {
    call.fail("operand " + std::to_string(operand) + " has " + std::to_string(numbers.size()) + " numbers; 1 or " +
              std::to_string(lanes.length) + " would be right");
  }
  std::vector<double> all(count);
  for (size_t lane = 0; lane < lanes.count(); ++lane) {
    for (size_t i = 0; i < lanes.length; ++i) all[lanes.at(lane, i)] = numbers[i];
  }
  return all;
}

bool per_tensor(const OpCall& call, size_t operand) {
  if (!call.has(operand)) return true;
  const Type type = tensor_operand(call, operand);
  return !has_dims(type) || element_count(type.dims) == 1;
}

Array centred(const OpCall& call, size_t operand, size_t zero_point, size_t axis) {
  const Array& quantised = value_of(call, operand);
  auto values            = values_of<double>(quantised);
  const auto zeros       = spread_along(call, zero_point, quantised.dims(), axis);
  for (size_t i = 0; i < values.size(); ++i) values[i] -= zeros[i];
  return array_of(DType::f64, quantised.dims(), values);
}

Type as_real(const OpCall& call, size_t operand) {
  Type type = tensor_operand(call, operand);
  if (type.kind != Type::Kind::unknown) type.dtype = DType::f64;
  return type;
}

std::string scaled_letters(const OpCall& call, size_t scale, size_t axis) {
  std::string text = letters(tensor_operand(call, 0).dims.size());
  if (per_tensor(call, scale)) return factor_text(call, {text}, {text});
  if (!per_block(call, scale, text.size())) {
    const std::string one(1, text[axis]);
    return factor_text(call, {text, one, per_tensor(call, scale + 1) ? dots_of(call, scale + 1) : one}, {text});
  }
  text[axis] = '.';
  return factor_text(call, {text, text, text}, {text});
}

void check_quantised(const OpCall& call, size_t operand, Accepted accepted) {
  if (!call.has(operand)) return;
  const Type type = tensor_operand(call, operand);
  if (type.kind == Type::Kind::unknown || type.dtype == DType::u8 || type.dtype == DType::i8) return;
  const bool narrow = type.dtype != DType::boolean && ir::size_of(type.dtype) <= (ir::is_float(type.dtype) ? 1 : 2);
  if (accepted != Accepted::bytes && narrow) return;
  if (accepted == Accepted::narrow_and_sums && type.dtype == DType::i32) return;
  call.fail("operand " + std::to_string(operand) + " is " + std::string(ir::name(type.dtype)) + "; UInt8 or Int8 " +
            (accepted == Accepted::bytes ? "" : "or another narrow type ") + "would be right");
}

}  // namespace foreflow::ops
