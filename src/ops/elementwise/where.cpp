#include "ops/common/elementwise.h"
#include "ops/common/letters.h"

namespace foreflow::ops::definitions::where {

namespace {

std::vector<Type> infer(const OpCall& call) {
  const std::vector<Type> operands{tensor_operand(call, 0), tensor_operand(call, 1), tensor_operand(call, 2)};
  if (operands[0].is_tensor() && operands[0].dtype != DType::boolean) call.fail("the condition is not Bool; cast it");
  const std::optional<DType> dtype = common_dtype(call, std::span(operands).subspan(1));
  if (!dtype) return {Type{}};
  const std::optional<Dims> dims = broadcast(call, operands);
  return {dims ? Type::tensor(*dtype, *dims) : Type::unranked(*dtype)};
}

std::vector<Array> eval(const OpCall& call) {
  const Array &condition = value_of(call, 0), &x = value_of(call, 1), &y = value_of(call, 2);
  const Dims dims    = broadcast(call, broadcast(call, condition.dims(), x.dims()), y.dims());
  const Array truth  = take(condition, dims, broadcast_offsets(condition.dims(), dims));
  const Array others = take(y, dims, broadcast_offsets(y.dims(), dims));
  Array result       = take(x, dims, broadcast_offsets(x.dims(), dims));
  const size_t width = static_cast<size_t>(size_of(result.dtype()));
  for (size_t i = 0; i < truth.data<bool>().size(); ++i) {
    if (!truth.data<bool>()[i]) std::copy_n(others.bytes() + i * width, width, result.mutable_bytes() + i * width);
  }
  return {result};
}

int emit_zero(GradBuilder& builder) {
  return builder.emit("Constant", {{"value", Array(tensor_operand(builder.call(), 1).dtype, {})}}, {})[0];
}

void grad(GradBuilder& builder) {
  const OpCall& call = builder.call();
  const Type result  = infer(call)[0];
  const int chosen = builder.input(0), dy = builder.output_gradient(0);
  if (builder.wanted(1)) {
    const int masked = builder.emit("Where", {}, {chosen, dy, emit_zero(builder)})[0];
    builder.set_input_gradient(1, reduce_to(builder, masked, result, tensor_operand(call, 1)));
  }
  if (builder.wanted(2)) {
    const int masked = builder.emit("Where", {}, {chosen, emit_zero(builder), dy})[0];
    builder.set_input_gradient(2, reduce_to(builder, masked, result, tensor_operand(call, 2)));
  }
}

}  // namespace

OpDef row() {
  return {
      .name           = "Where",
      .doc            = "x where the condition holds, else y: (condition, x, y)",
      .adjusts_scores = true,
      .infer          = infer,
      .factors        = broadcast_factors,
      .work           = elementwise_work<0>,
      .eval           = eval,
      .grad           = grad,
      .samples =
          [] {
            return std::vector<Sample>{{{}, {boolean({4, 2}), f32({4, 2}), f32({4, 2})}},
                                       {{}, {boolean({4, 1}), f32({2}), f32({})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::where
