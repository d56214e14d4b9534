#include "ops/common/reduce.h"

#include "foreflow/base/nth.h"
#include "ops/common/axes.h"
#include "ops/common/broadcast.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops {

bool keeps_dims(const OpCall& call) { return call.attributes.int_or("keepdims", 1) != 0; }

namespace {

Factors reduction_factors(const OpCall& call, std::string_view reduced_letter) {
  if (!splittable(call) || integers(call, "axes", 1).unknown()) return {};
  const Dims dims                 = tensor_operand(call, 0).dims;
  const std::vector<bool> reduced = reduced_axes(call, dims);
  std::string input               = letters(dims.size()), output;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (!reduced[axis]) {
      output += input[axis];
      continue;
    }
    if (reduced_letter == ".") input[axis] = '.';
    if (keeps_dims(call)) output += '.';
  }
  return {.text = factor_text(call, {input}, {output})};
}

}  // namespace

std::vector<bool> reduced_axes(const OpCall& call, const Dims& dims) {
  const Integers axes = integers(call, "axes", 1);
  if (!axes.list || axes.list->empty()) {
    return std::vector<bool>(dims.size(), call.attributes.int_or("noop_with_empty_axes", 0) == 0);
  }
  std::vector<bool> reduced(dims.size());
  for (const int64_t axis : *axes.list) reduced[normal_axis(call, axis, dims.size())] = true;
  return reduced;
}

Dims kept_dims(const OpCall& call, const Dims& dims) {
  const std::vector<bool> reduced = reduced_axes(call, dims);
  Dims kept                       = dims;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (reduced[axis]) kept[axis] = 1;
  }
  return kept;
}

Dims reduced_dims(const OpCall& call, const Dims& dims) {
  const Dims kept = kept_dims(call, dims);
  if (keeps_dims(call)) return kept;
  const std::vector<bool> reduced = reduced_axes(call, dims);
  Dims result;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (!reduced[axis]) result.push_back(kept[axis]);
  }
  return result;
}

std::vector<Type> infer_reduction(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  if (!has_rank(x)) return {without_dims(x)};
  if (!integers(call, "axes", 1).unknown()) return {with_dims(x, reduced_dims(call, x.dims))};
  return {keeps_dims(call) ? with_dims(x, Dims(x.dims.size(), Dims::kUnknown)) : without_dims(x)};
}

Work reduction_work(const OpCall& call, std::span<const Type> outputs) {
  return computes(call, outputs, count_of(call.inputs[0]));
}

Factors sum_factors(const OpCall& call) { return reduction_factors(call, ""); }
Factors whole_factors(const OpCall& call) { return reduction_factors(call, "."); }

std::vector<Sample> reduction_samples() {
  return {{{}, {f32({4, 2})}},
          {{{"axes", std::vector<int64_t>{-1}}, {"keepdims", int64_t{0}}}, {f32({2, 4, 6})}},
          {{}, {f32({4, 2}), i64({1})}, {{1, Array::of_ints({1}, {0})}}},
          {{{"noop_with_empty_axes", int64_t{1}}}, {f32({4})}}};
}

namespace {

const Dims& known_dims(const OpCall& call) {
  if (!has_dims(call.inputs[0])) call.fail("the shape of the operand must be known to differentiate a reduction");
  return call.inputs[0].dims;
}

std::vector<int64_t> axes_of(const OpCall& call) {
  const std::vector<bool> reduced = reduced_axes(call, known_dims(call));
  std::vector<int64_t> axes;
  for (size_t axis = 0; axis < reduced.size(); ++axis) {
    if (reduced[axis]) axes.push_back(static_cast<int64_t>(axis));
  }
  return axes;
}

}  // namespace

int emit_kept(GradBuilder& builder, int value) {
  const std::vector<int64_t> axes = axes_of(builder.call());
  if (axes.empty() || keeps_dims(builder.call())) return value;
  return builder.emit("Unsqueeze", {{"axes", axes}}, {value})[0];
}

int emit_stretched(GradBuilder& builder, int gradient) {
  const OpCall& call              = builder.call();
  const std::vector<int64_t> axes = axes_of(call);
  if (axes.empty()) return gradient;
  // Dimensions that are not reduced stay 1 in the target: they come from the gradient, so they may be split.
  std::vector<int64_t> target(known_dims(call).size(), 1);
  for (const int64_t axis : axes) nth(target, axis) = nth(known_dims(call), axis);
  return builder.emit("Expand", {{"shape", target}}, {emit_kept(builder, gradient)})[0];
}

int emit_reduction(GradBuilder& builder, std::string_view op, int value) {
  const std::vector<int64_t> axes = axes_of(builder.call());
  if (axes.empty()) return value;
  return builder.emit(op, {{"axes", axes}, {"keepdims", int64_t{1}}}, {value})[0];
}

// dx = dy [x = y] / number of such x
void grad_of_extreme(GradBuilder& builder) {
  const int x = builder.input(0), y = emit_kept(builder, builder.output(0));
  const int dy   = emit_kept(builder, builder.output_gradient(0));
  const int best = emit_op(builder, "Equal", {x, y});
  const std::string dtype(ir::name(tensor_operand(builder.call(), 0).dtype));
  const int chosen = builder.emit("Cast", {{"to", dtype}}, {best})[0];
  const int share  = emit_op(builder, "Div", {dy, emit_reduction(builder, "ReduceSum", chosen)});
  builder.set_input_gradient(0, emit_op(builder, "Mul", {chosen, share}));
}

}  // namespace foreflow::ops
