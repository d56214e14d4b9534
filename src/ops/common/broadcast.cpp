#include "ops/common/broadcast.h"

#include <algorithm>

#include "ops/common/kernel.h"
#include "ops/common/letters.h"

namespace foreflow::ops {

namespace {

int64_t stretch(const OpCall& call, int64_t a, int64_t b, const Dims& all_a, const Dims& all_b) {
  if (a == b || b == 1) return a;
  if (a == 1) return b;
  if (a == Dims::kUnknown) return b;
  if (b == Dims::kUnknown) return a;
  call.fail("shapes " + to_string(all_a) + " and " + to_string(all_b) +
            " do not broadcast; aligned dimensions must be equal or 1");
}

}  // namespace

Dims broadcast(const OpCall& call, const Dims& a, const Dims& b) {
  const Dims& longer  = a.size() >= b.size() ? a : b;
  const Dims& shorter = a.size() >= b.size() ? b : a;
  Dims result         = longer;
  const size_t extra  = longer.size() - shorter.size();
  for (size_t axis = 0; axis < shorter.size(); ++axis) {
    result[axis + extra] = stretch(call, longer[axis + extra], shorter[axis], a, b);
  }
  return result;
}

std::optional<Dims> broadcast(const OpCall& call, std::span<const Type> operands) {
  Dims result;
  for (const Type& operand : operands) {
    if (!has_rank(operand)) return std::nullopt;
    result = broadcast(call, result, operand.dims);
  }
  return result;
}

std::string aligned_letters(const Dims& operand, const Dims& result) {
  if (operand.size() > result.size()) throw Error("factors", "an operand has more dimensions than the result");
  const size_t extra = result.size() - operand.size();
  std::string text   = letters(result.size()).substr(extra);
  for (size_t axis = 0; axis < operand.size(); ++axis) {
    if (operand[axis] != result[axis + extra]) text[axis] = '.';
  }
  return text;
}

Type broadcast_result(const OpCall& call) {
  std::vector<Type> operands;
  for (size_t i = 0; i < call.arity(); ++i) operands.push_back(tensor_operand(call, i));
  const std::optional<Dims> dims = broadcast(call, operands);
  return dims ? with_dims(operands[0], *dims) : without_dims(operands[0]);
}

Factors broadcast_factors(const OpCall& call) {
  const auto is_tuple = [](const Type& type) { return type.is_tuple(); };
  if (!splittable(call) || std::any_of(call.inputs.begin(), call.inputs.end(), is_tuple)) return {};
  const Type result = broadcast_result(call);
  if (!has_dims(result)) return {};
  std::vector<std::string> inputs;
  for (size_t i = 0; i < call.arity(); ++i) {
    inputs.push_back(aligned_letters(tensor_operand(call, i).dims, result.dims));
  }
  return {.text = factor_text(call, inputs, {letters(result.dims.size())})};
}

int reduce_to(GradBuilder& builder, int gradient, const Type& from, const Type& to) {
  if (!has_dims(from) || !has_dims(to)) builder.call().fail("shapes must be known to differentiate a broadcast");
  const size_t extra = from.dims.size() - to.dims.size();
  std::vector<int64_t> leading, stretched;
  for (size_t axis = 0; axis < extra; ++axis) leading.push_back(static_cast<int64_t>(axis));
  for (size_t axis = 0; axis < to.dims.size(); ++axis) {
    if (to.dims[axis] != from.dims[axis + extra]) stretched.push_back(static_cast<int64_t>(axis));
  }
  if (!leading.empty()) {
    gradient = builder.emit("ReduceSum", {{"axes", leading}, {"keepdims", int64_t{0}}}, {gradient})[0];
  }
  if (!stretched.empty()) {
    gradient = builder.emit("ReduceSum", {{"axes", stretched}, {"keepdims", int64_t{1}}}, {gradient})[0];
  }
  return gradient;
}

void set_broadcast_gradient(GradBuilder& builder, size_t index, int gradient) {
  const OpCall& call = builder.call();
  builder.set_input_gradient(index, reduce_to(builder, gradient, broadcast_result(call), tensor_operand(call, index)));
}

int emit_number(GradBuilder& builder, double value) {
  const DType dtype = tensor_operand(builder.call(), 0).dtype;
  return builder.emit("Constant", {{"value", array_of<double>(dtype, {}, {value})}}, {})[0];
}

int emit_op(GradBuilder& builder, std::string_view op, std::vector<int> operands) {
  return builder.emit(op, {}, std::move(operands))[0];
}

}  // namespace foreflow::ops
