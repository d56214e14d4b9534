#include "ops/common/axes.h"
#include "ops/common/broadcast.h"
#include "ops/common/letters.h"
#include "ops/common/parts.h"
#include "ops/common/views.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::expand {

namespace {

std::vector<Type> infer(const OpCall& call) {
  const Type x         = tensor_operand(call, 0);
  const Integers shape = integers(call, "shape", 1);
  if (!shape.given) call.fail("has neither an operand nor an attribute `shape`");
  if (!has_rank(x) || !shape.list) return {without_dims(x)};
  for (const int64_t dim : *shape.list) {
    if (dim < 0) call.fail("shape has the dimension " + std::to_string(dim) + "; 0 or more would be right");
  }
  return {with_dims(x, broadcast(call, x.dims, Dims(*shape.list)))};
}

// A dimension may be split where it comes from x and `shape` does not write it out. It may write it out in an attribute
// that names every dimension: that one shrinks with it.
Factors factors(const OpCall& call) {
  const Integers shape = integers(call, "shape", 1);
  if (!splittable(call) || !shape.list) return {};
  const Dims x = tensor_operand(call, 0).dims, result = infer(call)[0].dims;
  std::string output = letters(result.size()), input = aligned_letters(x, result);
  const size_t extra = result.size() - x.size(), written = result.size() - shape.list->size();
  const bool shrinks = written == 0 && call.attributes.find("shape") != nullptr;
  for (size_t axis = 0; axis < result.size(); ++axis) {
    const bool from_x = axis >= extra && input[axis - extra] != '.';
    if (from_x && (shrinks || axis < written || (*shape.list)[axis - written] == 1)) continue;
    output[axis] = '.';
    if (axis >= extra) input[axis - extra] = '.';
  }
  return {.text = factor_text(call, {input}, {output})};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x  = value_of(call, 0);
  const Dims dims = broadcast(call, x.dims(), Dims(*integers(call, "shape", 1).list));
  return {take(x, dims, broadcast_offsets(x.dims(), dims))};
}

void grad(GradBuilder& builder) {
  const int dx =
      reduce_to(builder, builder.output_gradient(0), infer(builder.call())[0], tensor_operand(builder.call(), 0));
  builder.set_input_gradient(0, dx);
}

}  // namespace

OpDef row() {
  return {
      .name            = "Expand",
      .doc             = "x stretched by broadcasting with `shape`, in which a 1 keeps the dimension of x",
      .role            = Role::view,
      .additive        = true,
      .aliases_operand = true,
      .sizes           = ir::Sizes::expanded,
      .fit_part        = fit_shape,
      .whole_because   = "the shape that it makes is stated for the whole batch",
      .infer           = infer,
      .factors         = factors,
      .work            = [](const OpCall& call, std::span<const Type> outputs) { return moves(call, outputs); },
      .eval            = eval,
      .grad            = grad,
      .samples =
          [] {
            return std::vector<Sample>{{{{"shape", std::vector<int64_t>{3, 1, 1}}}, {f32({4, 2})}},
                                       {{{"shape", std::vector<int64_t>{4, 3, 2}}}, {f32({4, 1, 2})}},
                                       {{}, {f32({4, 1}), i64({2})}, {{1, Array::of_ints({2}, {4, 3})}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::expand
