#include "ops/common/elementwise.h"
#include "ops/common/letters.h"
#include "ops/common/table_rows.h"

namespace foreflow::ops::definitions::cast_like {

namespace {

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0), like = tensor_operand(call, 1);
  if (!like.is_tensor()) return {Type{}};
  return {has_rank(x) ? Type::tensor(like.dtype, x.dims) : Type::unranked(like.dtype)};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x        = value_of(call, 0);
  const DType dtype     = value_of(call, 1).dtype();
  Attributes attributes = call.attributes;
  return evaluate("Cast", attributes.set("to", std::string(ir::name(dtype))), {&x});
}

void grad(GradBuilder& builder) {
  const OpCall& call = builder.call();
  if (!ir::is_float(tensor_operand(call, 0).dtype) || !ir::is_float(tensor_operand(call, 1).dtype)) return;
  builder.set_input_gradient(0, emit_op(builder, "CastLike", {builder.output_gradient(0), builder.input(0)}));
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const std::string all = letters(tensor_operand(call, 0).dims.size());
  return {.text = factor_text(call, {all}, {all})};
}

}  // namespace

OpDef row() {
  return {
      .name    = "CastLike",
      .doc     = "x as the data type of y; floats become integers by truncation",
      .infer   = infer,
      .factors = factors,
      .work    = elementwise_work<0>,
      .eval    = eval,
      .grad    = grad,
      .samples =
          [] {
            return std::vector<Sample>{
                {{}, {f32({4, 2}), i64({3})}, {{0, Array::of_floats({4, 2}, {0, 1, 1.5F, -1.5F, 2, 3, 4, 5})}}},
                {{}, {boolean({3}), i64({2})}},
                {{}, {f32({4, 2}), f32({3})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::cast_like
