#include "ops/common/axes.h"
#include "ops/common/letters.h"
#include "ops/common/rows.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::center_crop_pad {

namespace {

std::vector<size_t> axes_of(const OpCall& call, size_t rank) {
  std::vector<size_t> axes;
  if (const auto given = call.attributes.find_ints("axes")) {
    for (const int64_t axis : *given) axes.push_back(normal_axis(call, axis, rank));
  } else {
    for (size_t axis = 0; axis < rank; ++axis) axes.push_back(axis);
  }
  return axes;
}

std::vector<Type> infer(const OpCall& call) {
  const Type x         = tensor_operand(call, 0);
  const Integers shape = integers(call, "shape", 1);
  if (!shape.given) call.fail("has neither an operand nor an attribute `shape`");
  if (!has_rank(x)) return {x};
  const std::vector<size_t> axes = axes_of(call, x.dims.size());
  Dims dims                      = x.dims;
  if (shape.list && shape.list->size() != axes.size())
    call.fail("shape has " + std::to_string(shape.list->size()) + " numbers; one for each of " +
              std::to_string(axes.size()) + " axes would be right");
  for (size_t i = 0; i < axes.size(); ++i) {
    if (shape.list && (*shape.list)[i] < 0) call.fail("shape has a negative dimension; none may be");
    dims[axes[i]] = shape.list ? (*shape.list)[i] : Dims::kUnknown;
  }
  return {with_dims(x, dims)};
}

// Half of what is missing, or too much, is before; the odd element is behind.
std::vector<int64_t> pads_of(const Dims& from, const Dims& to) {
  std::vector<int64_t> pads(2 * from.size());
  for (size_t axis = 0; axis < from.size(); ++axis) {
    const int64_t more       = to[axis] - from[axis];
    pads[axis]               = more / 2;
    pads[axis + from.size()] = more - more / 2;
  }
  return pads;
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x = value_of(call, 0);
  return eval_row("Pad", {{"pads", pads_of(x.dims(), infer(call)[0].dims)}}, std::vector<const Array*>{&x});
}

void grad(GradBuilder& builder) {
  const Type x = tensor_operand(builder.call(), 0), y = infer(builder.call())[0];
  if (!has_dims(x) || !has_dims(y)) builder.call().fail("the shape must be known to differentiate");
  std::vector<int64_t> pads = pads_of(x.dims, y.dims);
  for (int64_t& pad : pads) pad = -pad;
  builder.set_input_gradient(0, builder.emit("Pad", {{"pads", pads}}, {builder.output_gradient(0)})[0]);
}

}  // namespace

OpDef row() {
  return {
      .name          = "CenterCropPad",
      .doc           = "x, shape -> the middle of x, or x in the middle of zeros, of that shape along `axes`",
      .whole_because = "it cuts or fills up that dimension",
      .infer         = infer,
      .factors       = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        std::string text = letters(tensor_operand(call, 0).dims.size());
        for (const size_t axis : axes_of(call, text.size())) text[axis] = '.';
        return {.text = factor_text(call, {text}, {text})};
      },
      .work = copies_outputs,
      .eval = eval,
      .grad = grad,
      .samples =
          [] {
            return std::vector<Sample>{
                {{}, {f32({5, 2}), i64({2})}, {{1, Array::of_ints({2}, {2, 5})}}},
                {{{"axes", std::vector<int64_t>{-1}}}, {f32({4, 2, 3}), i64({1})}, {{1, Array::of_ints({1}, {6})}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::center_crop_pad
