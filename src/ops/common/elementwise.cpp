#include "ops/common/elementwise.h"

#include "ops/common/letters.h"

namespace foreflow::ops {

namespace {

bool accepted(Accepts accepts, DType dtype) {
  switch (accepts) {
    case Accepts::numbers: return dtype != DType::boolean;
    case Accepts::floats: return ir::is_float(dtype);
    case Accepts::integers: return !ir::is_float(dtype) && dtype != DType::boolean;
    case Accepts::unsigned_integers: return dtype >= DType::u64 && dtype <= DType::u8;
    case Accepts::booleans: return dtype == DType::boolean;
    case Accepts::anything: return true;
  }
  return false;
}

std::string_view describe(Accepts accepts) {
  switch (accepts) {
    case Accepts::numbers: return "numbers";
    case Accepts::floats: return "floats";
    case Accepts::integers: return "integers";
    case Accepts::unsigned_integers: return "unsigned integers";
    case Accepts::booleans: return "Bool";
    case Accepts::anything: return "anything";
  }
  return "";
}

}  // namespace

Type infer_elementwise(const OpCall& call, Accepts accepts, Gives gives) {
  std::vector<Type> operands;
  for (size_t i = 0; i < std::max<size_t>(1, call.arity()); ++i) operands.push_back(tensor_operand(call, i));
  const std::optional<DType> dtype = common_dtype(call, operands);
  if (dtype && !accepted(accepts, *dtype)) {
    call.fail("operands are " + std::string(ir::name(*dtype)) + "; " + std::string(describe(accepts)) +
              " would be right");
  }
  const std::optional<Dims> dims = broadcast(call, operands);
  if (gives == Gives::boolean) return dims ? Type::tensor(DType::boolean, *dims) : Type::unranked(DType::boolean);
  if (!dtype) return {};
  return dims ? Type::tensor(*dtype, *dims) : Type::unranked(*dtype);
}

void check_two_operands(const OpCall& call) {
  if (call.arity() != 2) call.fail("has " + std::to_string(call.arity()) + " operands; two would be right");
}

Factors same_shape_factors(const OpCall& call) {
  if (!splittable(call) || !has_rank(call.inputs[0])) return {};
  const std::string all = letters(call.inputs[0].dims.size());
  return {.text = factor_text(call, {all}, {all})};
}

void grad_of_choice(GradBuilder& builder, std::string_view beats) {
  const OpCall& call = builder.call();
  int left           = builder.output_gradient(0);  // what no later operand has taken
  for (size_t i = call.arity(); i-- > 1;) {
    std::vector<int> before;
    for (size_t j = 0; j < i; ++j) before.push_back(builder.input(j));
    const int best = i == 1 ? before[0] : emit_op(builder, call.def.name, before);
    const int wins = emit_op(builder, beats, {builder.input(i), best}), zero = emit_number(builder, 0);
    if (builder.wanted(i)) set_broadcast_gradient(builder, i, emit_op(builder, "Where", {wins, left, zero}));
    left = emit_op(builder, "Where", {wins, zero, left});
  }
  if (builder.wanted(0)) set_broadcast_gradient(builder, 0, left);
}

std::vector<Sample> choice_samples() {
  return {{{}, {f32({4, 2}), f32({4, 2})}},
          {{}, {f32({2, 1, 4}), f32({6, 1}), f32({}), f32({6, 4})}},
          {{}, {f32({3})}},
          {{}, {i64({4}), i64({4})}}};
}

void pass_no_gradient(GradBuilder& builder) { builder.output_gradient(0); }

std::vector<Sample> unary_samples(DType dtype) {
  return {{{}, {Type::tensor(dtype, {4, 2})}}, {{}, {Type::tensor(dtype, {2, 3, 2})}}};
}

std::vector<Sample> positive_samples() {
  return {{{}, {f32({4, 2})}, {{0, Array::of_floats({4, 2}, {0.25F, 0.5F, 0.75F, 1, 1.5F, 2, 3, 4})}}},
          {{}, {f32({3})}, {{0, Array::of_floats({3}, {0.125F, 1, 2})}}}};
}

std::vector<Sample> binary_samples(DType dtype) {
  const auto type = [dtype](const Dims& dims) { return Type::tensor(dtype, dims); };
  return {{{}, {type({4, 2}), type({4, 2})}}, {{}, {type({4, 2}), type({2})}}, {{}, {type({2, 1, 4}), type({6, 1})}}};
}

std::vector<Sample> divisor_samples() {
  return {{{}, {f32({4, 2}), f32({2})}, {{1, Array::of_floats({2}, {0.5F, -2})}}},
          {{}, {f32({2, 1, 3}), f32({2, 1})}, {{1, Array::of_floats({2, 1}, {1.5F, 0.75F})}}}};
}

}  // namespace foreflow::ops
