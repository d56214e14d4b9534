#include "foreflow/ir/countable.h"
#include "ops/common/axes.h"
#include "ops/common/letters.h"
#include "ops/common/parts.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::reshape {

namespace {

// `shape` with its 0 (the operand's dimension, unless allowzero) and its -1 (what is left) replaced.
Dims reshaped(const OpCall& call, const Type& x, const std::vector<int64_t>& shape) {
  const bool zero_copies = call.attributes.int_or("allowzero", 0) == 0;
  Dims dims;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] != 0 || !zero_copies) {
      dims.push_back(shape[axis]);
      continue;
    }
    if (has_rank(x) && axis >= x.dims.size()) {
      call.fail("shape has a 0 where " + to_string(x.dims) + " has no dimension");
    }
    dims.push_back(has_rank(x) ? x.dims[axis] : Dims::kUnknown);
  }
  return dims;
}

// The -1 of `dims` from the number of elements, when everything else is known.
Dims completed(const OpCall& call, const Type& x, Dims dims, const std::vector<int64_t>& shape) {
  int64_t known = 1;
  std::optional<size_t> open;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] < -1) call.fail("shape has the dimension " + std::to_string(shape[axis]));
    if (shape[axis] == -1) {
      if (open) call.fail("shape has more than one -1; one at most would be right");
      open = axis;
    } else if (dims[axis] == Dims::kUnknown) {
      return dims;
    } else {
      known = ir::clamped_product(known, dims[axis]);
    }
  }
  if (!has_dims(x)) return dims;
  const int64_t count = element_count(x.dims);
  if (open && known > 0 && count % known == 0) {
    dims[*open] = count / known;
  } else if (open && known == 0 && count == 0) {
    dims[*open] = 0;
  }
  if (element_count(dims) != count) {
    call.fail("shape " + to_string(dims) + " does not hold the " + std::to_string(count) + " elements of " +
              to_string(x.dims));
  }
  return dims;
}

std::vector<Type> infer(const OpCall& call) {
  const Type x         = tensor_operand(call, 0);
  const Integers shape = integers(call, "shape", 1);
  if (!shape.given) call.fail("has neither an operand nor an attribute `shape`");
  if (shape.list) return {with_dims(x, completed(call, x, reshaped(call, x, *shape.list), *shape.list))};
  const Type& operand = call.inputs[1];
  const bool sized    = has_dims(operand) && operand.dims.size() == 1;
  return {sized ? with_dims(x, Dims(static_cast<size_t>(operand.dims[0]), Dims::kUnknown)) : without_dims(x)};
}

std::vector<Sample> samples() {
  return {{{{"shape", std::vector<int64_t>{0, -1}}}, {f32({4, 2, 3})}},
          {{}, {f32({4, 6}), i64({3})}, {{1, Array::of_ints({3}, {2, 2, 6})}}},
          {{{"shape", std::vector<int64_t>{}}}, {f32({1, 1})}}};
}

}  // namespace

OpDef row() {
  return {
      .name            = "Reshape",
      .doc             = "the same elements, row-major, under `shape`: 0 keeps a dimension, -1 is what is left",
      .role            = Role::view,
      .additive        = true,
      .aliases_operand = true,
      .sizes           = ir::Sizes::shape,
      .fit_part        = fit_shape,
      .infer           = infer,
      .factors         = [](const OpCall&) -> Factors { return {.rule = Factors::Rule::linear_view, .text = ""}; },
      .work            = nothing,
      .eval            = [](const OpCall& call) -> std::vector<Array> {
        return {value_of(call, 0).reshaped(infer(call)[0].dims)};
      },
      .grad    = grad_reshaped,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::reshape
