#include "foreflow/base/nth.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/views.h"
#include "ops/common/window.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::max_unpool {

namespace {

constexpr size_t kShape = 2;

// The shape that MaxPool had its elements from, were there none left over; indices count over it.
Dims numbered(const OpCall& call, const Dims& x) {
  const Sizes kernel = call.attributes.get_ints("kernel_shape");
  const size_t rank  = kernel.size();
  if (x.size() != rank + 2)
    call.fail("x is " + to_string(x) + "; kernel_shape has " + std::to_string(rank) + " numbers");
  const Sizes strides = sizes_attribute(call, "strides", rank, 1), pads = sizes_attribute(call, "pads", 2 * rank, 0);
  Dims dims = x;
  for (size_t axis = 0; axis < rank; ++axis) {
    if (x[axis + 2] == Dims::kUnknown) continue;
    dims[axis + 2] = (x[axis + 2] - 1) * strides[axis] - pads[axis] - pads[axis + rank] + kernel[axis];
    if (dims[axis + 2] < 0) call.fail("pads are larger than the result; smaller ones would be right");
  }
  return dims;
}

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0), indices = tensor_operand(call, 1);
  if (!has_rank(x)) return {x};
  if (has_dims(x) && has_dims(indices) && x.dims != indices.dims)
    call.fail("the indices are " + to_string(indices.dims) + "; they should have the shape of x, " + to_string(x.dims));
  const Dims dims = numbered(call, x.dims);
  if (!call.has(kShape)) return {with_dims(x, dims)};
  if (call.known[kShape] == nullptr) return {with_dims(x, Dims(x.dims.size(), Dims::kUnknown))};
  const Dims stated(call.known[kShape]->to_ints());
  bool holds = stated.size() == dims.size();
  for (size_t axis = 0; holds && axis < dims.size(); ++axis) holds = stated[axis] >= dims[axis];
  if (!holds) call.fail("output_shape is " + to_string(stated) + "; at least " + to_string(dims) + " would be right");
  return {with_dims(x, stated)};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x  = value_of(call, 0);
  const Dims dims = infer(call)[0].dims, within = numbered(call, x.dims());
  const auto values  = values_of<double>(x);
  const auto places  = offsets_of(within, strides_of(dims));
  const auto indices = value_of(call, 1).to_ints();
  std::vector<double> y(static_cast<size_t>(element_count(dims)));
  for (size_t i = 0; i < values.size(); ++i) {
    if (indices[i] < 0 || indices[i] >= static_cast<int64_t>(places.size()))
      call.fail("index " + std::to_string(indices[i]) + " lies outside " + to_string(within));
    nth(y, nth(places, indices[i])) = values[i];
  }
  return {array_of(x.dtype(), dims, y)};
}

// The elements of dy that x went to.
void grad(GradBuilder& builder) {
  const OpCall& call = builder.call();
  const Type x       = tensor_operand(call, 0);
  if (!has_dims(x)) call.fail("the shape must be known to differentiate");
  int dy = builder.output_gradient(0);
  if (call.has(kShape)) {
    const Dims within = numbered(call, x.dims);
    const std::vector<int64_t> ends(within.begin(), within.end());
    dy = builder.emit("Slice", {{"starts", std::vector<int64_t>(ends.size())}, {"ends", ends}}, {dy})[0];
  }
  const int flat = builder.emit("Reshape", {{"shape", std::vector<int64_t>{-1}}}, {dy})[0];
  builder.set_input_gradient(0, builder.emit("Gather", {{"axis", 0}}, {flat, builder.input(1)})[0]);
}

std::vector<Sample> samples() {
  const Attributes halves{{"kernel_shape", std::vector<int64_t>{2, 2}}, {"strides", std::vector<int64_t>{2, 2}}};
  const std::pair<size_t, Array> corners{1, Array::of_ints({1, 1, 2, 2}, {5, 7, 13, 15})};
  return {
      {halves, {f32({1, 1, 2, 2}), i64({1, 1, 2, 2})}, {corners}},
      {halves, {f32({1, 1, 2, 2}), i64({1, 1, 2, 2}), i64({4})}, {corners, {2, Array::of_ints({4}, {1, 1, 5, 6})}}}};
}

}  // namespace

OpDef row() {
  return {
      .name = "MaxUnpool",
      .doc  = "x and the indices that MaxPool gave, perhaps the shape before it -> x at its old places, 0 elsewhere",
      .whole_because = "its indices count over the whole batch",
      .infer         = infer,
      // Indices count over the whole tensor.
      .factors = [](const OpCall&) { return Factors{}; },
      .work    = [](const OpCall& call, std::span<const Type> outputs) { return moves(call, outputs); },
      .eval    = eval,
      .grad    = grad,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::max_unpool
