#include "ops/common/op.h"

namespace foreflow::ops {

using Kind = Type::Kind;

Type tensor_operand(const OpCall& call, size_t index) {
  if (index >= call.arity()) call.fail("needs at least " + std::to_string(index + 1) + " operands");
  const Type& type = call.inputs[index];
  if (type.kind == Kind::tuple) call.fail("operand " + std::to_string(index) + " is a tuple; a tensor would be right");
  if (type.kind == Kind::unknown) return {};
  Type tensor   = type.kind == Kind::scalar ? Type::tensor(type.dtype, {}) : type;
  tensor.device = {};
  return tensor;
}

std::optional<DType> common_dtype(const OpCall& call, std::span<const Type> operands) {
  std::optional<DType> dtype;
  for (const Type& operand : operands) {
    if (operand.kind == Kind::unknown) continue;
    if (dtype && *dtype != operand.dtype) {
      call.fail("operands are " + std::string(ir::name(*dtype)) + " and " + std::string(ir::name(operand.dtype)) +
                "; cast one of them so that both have the same data type");
    }
    dtype = operand.dtype;
  }
  return dtype;
}

Type with_dims(const Type& tensor, const Dims& dims) {
  return tensor.kind == Kind::unknown ? Type{} : Type::tensor(tensor.dtype, dims);
}

Type without_dims(const Type& tensor) { return tensor.kind == Kind::unknown ? Type{} : Type::unranked(tensor.dtype); }

bool has_rank(const Type& type) { return type.kind == Kind::tensor && type.ranked; }

bool has_dims(const Type& type) { return has_rank(type) && ir::element_count(type.dims) >= 0; }

const Array& value_of(const OpCall& call, size_t index) {
  if (index >= call.arity() || call.known[index] == nullptr) {
    call.fail("operand " + std::to_string(index) + " has no value");
  }
  return *call.known[index];
}

Type f32(const Dims& dims) { return Type::tensor(DType::f32, dims); }
Type i64(const Dims& dims) { return Type::tensor(DType::i64, dims); }
Type boolean(const Dims& dims) { return Type::tensor(DType::boolean, dims); }

}  // namespace foreflow::ops
