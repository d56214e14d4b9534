#include "workload/number.h"

#include "foreflow/ir/half.h"

namespace foreflow::workload {

ir::Array number(ir::DType dtype, float value) {
  const ir::Array one = ir::Array::of_floats({1}, {value});
  if (dtype == ir::DType::f32) return one;
  ir::Array other(dtype, {1});
  if (dtype == ir::DType::f16) other.mutable_data<uint16_t>()[0] = ir::float_to_half(value);
  if (dtype == ir::DType::bf16) other.mutable_data<uint16_t>()[0] = ir::float_to_bfloat(value);
  if (dtype == ir::DType::f8) other.mutable_data<uint8_t>()[0] = ir::float_to_float8(value);
  if (dtype == ir::DType::f64) other.mutable_data<double>()[0] = value;
  return other;
}

}  // namespace foreflow::workload
