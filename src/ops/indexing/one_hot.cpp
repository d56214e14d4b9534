#include "foreflow/base/nth.h"
#include "ops/common/axes.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/operands.h"
#include "ops/common/views.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::one_hot {

namespace {

int64_t positive_depth(const OpCall& call, int64_t depth) {
  if (depth < 1) call.fail("the depth is " + std::to_string(depth) + "; it should be at least 1");
  return depth;
}

int64_t depth_of(const OpCall& call) {
  if (const auto depth = call.attributes.find_ints("depth")) return positive_depth(call, first_of(call, *depth));
  return call.arity() > 1 && call.known[1] != nullptr ? positive_depth(call, first_of(call, call.known[1]->to_ints()))
                                                      : Dims::kUnknown;
}

size_t axis_of(const OpCall& call, size_t rank) { return axis_attribute(call, rank + 1, -1); }

std::vector<Type> infer(const OpCall& call) {
  const Type indices = tensor_operand(call, 0), values = tensor_operand(call, 2);
  if (!has_rank(indices)) return {without_dims(values)};
  Dims dims = indices.dims;
  dims.insert(axis_of(call, dims.size()), depth_of(call));
  return {with_dims(values, dims)};
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const std::string input = letters(tensor_operand(call, 0).dims.size());
  std::string output      = input;
  output.insert(axis_of(call, input.size()), 1, '.');
  return {.text = factor_text(call, {input}, {output})};
}

// Indices outside [-depth, depth) give only off values.
std::vector<Array> eval(const OpCall& call) {
  const Array &indices = value_of(call, 0), &values = value_of(call, 2);
  const int64_t depth = depth_of(call);
  if (values.size() != 2) call.fail("the values are not [off, on]");
  const Dims dims                   = infer(call)[0].dims;
  const size_t axis                 = axis_of(call, indices.dims().size());
  const std::vector<int64_t> chosen = indices.to_ints();
  int64_t inner                     = 1;
  for (size_t d = axis + 1; d < dims.size(); ++d) inner *= dims[d];
  Offsets from(static_cast<size_t>(element_count(dims)), 0);
  for (size_t i = 0; i < chosen.size(); ++i) {
    const int64_t hot = chosen[i] < 0 ? chosen[i] + depth : chosen[i];
    if (hot < 0 || hot >= depth) continue;
    const auto position                                                    = static_cast<int64_t>(i);
    nth(from, (position / inner * depth + hot) * inner + position % inner) = 1;
  }
  return {take(values, dims, from)};
}

// The values [off, on] get the sums of the gradient over the places where they stand.
void grad(GradBuilder& builder) {
  const OpCall& call = builder.call();
  const DType dtype  = tensor_operand(call, 2).dtype;
  const int dy       = builder.output_gradient(0);
  const int unit     = builder.emit("Constant", {{"value", array_of<double>(dtype, {2}, {0, 1})}}, {})[0];
  const int hot      = builder.emit("OneHot", call.attributes, {builder.input(0), builder.input(1), unit})[0];
  const auto total   = [&](int values) {
    const int sum = builder.emit("ReduceSum", {{"keepdims", int64_t{0}}}, {values})[0];
    return builder.emit("Unsqueeze", {{"axes", std::vector<int64_t>{0}}}, {sum})[0];
  };
  const int all = total(dy), on = total(builder.emit("Mul", {}, {dy, hot})[0]);
  const int off = builder.emit("Sub", {}, {all, on})[0];
  builder.set_input_gradient(2, builder.emit("Concat", {{"axis", int64_t{0}}}, {off, on})[0]);
}

std::vector<Sample> samples() {
  const Array depth = Array::scalar(int64_t{3}), values = Array::of_floats({2}, {0, 1});
  return {{{}, {i64({4}), i64({}), f32({2})}, {{0, Array::of_ints({4}, {0, -1, 2, 5})}, {1, depth}, {2, values}}},
          {{{"axis", int64_t{0}}},
           {i64({2, 2}), i64({}), f32({2})},
           {{0, Array::of_ints({2, 2}, {0, 1, 2, 1})}, {1, depth}, {2, values}}}};
}

}  // namespace

OpDef row() {
  return {
      .name          = "OneHot",
      .doc           = "(indices[i..], depth, [off, on]) -> y[i..,depth], the new dimension at `axis`",
      .whole_because = "a number of it becomes a whole row",
      .infer         = infer,
      .factors       = factors,
      .work          = [](const OpCall& call, std::span<const Type> outputs) { return moves(call, outputs); },
      .eval          = eval,
      .grad          = grad,
      .samples       = samples,
  };
}

}  // namespace foreflow::ops::definitions::one_hot
