#include "ops/common/axes.h"
#include "ops/common/letters.h"
#include "ops/common/views.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::transpose {

namespace {

// Dimension i of the result is dimension order[i] of x; reversed when `perm` is absent.
std::vector<size_t> order_of(const OpCall& call, size_t rank) {
  const auto perm = call.attributes.find_ints("perm");
  std::vector<size_t> order;
  std::vector<bool> used(rank);
  for (size_t i = 0; i < rank && !perm; ++i) order.push_back(rank - 1 - i);
  if (!perm) return order;
  for (const int64_t axis : *perm) {
    order.push_back(normal_axis(call, axis, rank));
    if (used[order.back()]) call.fail("perm names axis " + std::to_string(axis) + " twice");
    used[order.back()] = true;
  }
  if (order.size() != rank) {
    call.fail("perm has " + std::to_string(order.size()) + " axes for a tensor of rank " + std::to_string(rank));
  }
  return order;
}

Dims transposed(const OpCall& call, const Dims& dims) {
  Dims result;
  for (const size_t axis : order_of(call, dims.size())) result.push_back(dims[axis]);
  return result;
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const std::string input = letters(tensor_operand(call, 0).dims.size());
  std::string output;
  for (const size_t axis : order_of(call, input.size())) output += input[axis];
  return {.text = input + "->" + output};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x        = value_of(call, 0);
  const Offsets strides = strides_of(x.dims());
  Offsets order;
  for (const size_t axis : order_of(call, x.dims().size())) order.push_back(strides[axis]);
  const Dims dims = transposed(call, x.dims());
  return {take(x, dims, offsets_of(dims, order))};
}

void grad(GradBuilder& builder) {
  Attributes attributes;
  if (const auto perm = builder.call().attributes.find_ints("perm")) {
    const std::vector<size_t> order = order_of(builder.call(), perm->size());
    std::vector<int64_t> inverse(order.size());
    for (size_t i = 0; i < order.size(); ++i) inverse[order[i]] = static_cast<int64_t>(i);
    attributes.set("perm", inverse);
  }
  if (builder.call().attributes.int_or("placed", 0) == 1) attributes.set("placed", int64_t{1});
  builder.set_input_gradient(0, builder.emit("Transpose", attributes, {builder.output_gradient(0)})[0]);
}

}  // namespace

OpDef row() {
  return {
      .name = "Transpose",
      .doc =
          "dimension i of the result is dimension perm[i] of x; reversed when `perm` is absent; with `placed` 1 "
          "nothing is moved, as what reads the result finds the elements where they are",
      .role     = Role::view,
      .additive = true,
      .copy     = Copy::permuted,
      .infer    = [](const OpCall& call) -> std::vector<Type> {
        const Type x = tensor_operand(call, 0);
        if (has_rank(x)) return {with_dims(x, transposed(call, x.dims))};
        const auto perm = call.attributes.find_ints("perm");
        return {perm ? with_dims(x, Dims(perm->size(), Dims::kUnknown)) : without_dims(x)};
      },
      .factors = factors,
      .work    = moves_unless_placed,
      .eval    = eval,
      .grad    = grad,
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({4, 2})}},
                                       {{{"perm", std::vector<int64_t>{1, 2, 0}}}, {f32({2, 4, 6})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::transpose
