#include "ops/common/quantised.h"

#include <algorithm>
#include <cmath>

#include "ops/common/lanes.h"

namespace foreflow::ops {

int64_t quantise(double ratio, int64_t zero_point, DType dtype) {
  const double lowest = dtype == DType::i8 ? -128 : 0, highest = dtype == DType::i8 ? 127 : 255;
  const double rounded = std::nearbyint(ratio) + static_cast<double>(zero_point);
  return std::isnan(ratio) ? zero_point : static_cast<int64_t>(std::clamp(rounded, lowest, highest));
}

std::vector<double> spread_along(const OpCall& call, size_t operand, const Dims& dims, size_t axis) {
  const auto count = static_cast<size_t>(element_count(dims));
  if (!call.has(operand)) return std::vector<double>(count);
  const std::vector<double> numbers = values_of<double>(value_of(call, operand));
  if (numbers.size() == 1) return std::vector<double>(count, numbers[0]);
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

void check_quantised(const OpCall& call, size_t operand, Accepted accepted) {
  if (!call.has(operand)) return;
  const Type type = tensor_operand(call, operand);
  if (type.kind == Type::Kind::unknown || type.dtype == DType::u8 || type.dtype == DType::i8) return;
  if (accepted == Accepted::bytes_and_sums && type.dtype == DType::i32) return;
  call.fail("operand " + std::to_string(operand) + " is " + std::string(ir::name(type.dtype)) +
            "; UInt8 or Int8 would be right");
}

}  // namespace foreflow::ops
