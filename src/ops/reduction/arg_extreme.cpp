#include "ops/reduction/arg_extreme.h"

#include "ops/common/axes.h"
#include "ops/common/letters.h"
#include "ops/common/reduce.h"
#include "ops/common/work.h"

namespace foreflow::ops {

namespace {

size_t axis_of(const OpCall& call, size_t rank) { return axis_attribute(call, rank, 0); }

}  // namespace

Dims without_axis(const OpCall& call, Dims dims) {
  const size_t axis = axis_of(call, dims.size());
  if (keeps_dims(call)) {
    dims[axis] = 1;
  } else
    dims.erase(axis);
  return dims;
}

std::vector<Type> infer_arg_extreme(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  return {has_rank(x) ? i64(without_axis(call, x.dims)) : Type::unranked(DType::i64)};
}

Factors arg_extreme_factors(const OpCall& call) {
  if (!splittable(call)) return {};
  std::string input                  = letters(tensor_operand(call, 0).dims.size());
  input[axis_of(call, input.size())] = '.';
  std::string output                 = input;
  if (!keeps_dims(call)) output.erase(axis_of(call, input.size()), 1);
  return {.text = factor_text(call, {input}, {output})};
}

Work arg_extreme_work(const OpCall& call, std::span<const Type> outputs) {
  return computes(call, outputs, count_of(call.inputs[0]));
}

ArgLanes arg_lanes(const OpCall& call, const Dims& dims) {
  const size_t axis     = axis_of(call, dims.size());
  const Offsets strides = strides_of(dims);
  Dims starts           = dims;
  starts[axis]          = 1;
  return {.starts = offsets_of(starts, strides), .length = dims[axis], .stride = strides[axis]};
}

std::vector<Sample> arg_extreme_samples() {
  return {{{}, {f32({4, 2})}},
          {{{"axis", int64_t{-1}}, {"keepdims", int64_t{0}}}, {f32({2, 4, 3})}},
          {{{"axis", int64_t{1}}, {"select_last_index", int64_t{1}}},
           {f32({2, 3})},
           {{0, Array::of_floats({2, 3}, {1, 1, 0, 0, 0, 1})}}}};
}

}  // namespace foreflow::ops
