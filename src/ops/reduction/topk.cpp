#include <algorithm>
#include <numeric>

#include "ops/common/axes.h"
#include "ops/common/elements.h"
#include "ops/common/lanes.h"
#include "ops/common/letters.h"

namespace foreflow::ops::definitions::topk {

namespace {

size_t axis_of(const OpCall& call, size_t rank) { return axis_attribute(call, rank, -1); }

// k, the attribute of opset 1 or operand 1; unknown while the operand is.
int64_t count(const OpCall& call, int64_t dim) {
  const Integers k = integers(call, "k", 1);
  if (!k.given) call.fail("has neither an operand nor an attribute `k`");
  if (!k.list) return Dims::kUnknown;
  if (k.list->size() != 1 || k.list->at(0) < 0) call.fail("k is not one number of at least 0");
  if (dim >= 0 && k.list->at(0) > dim) {
    call.fail("k is " + std::to_string(k.list->at(0)) + "; at most the dimension, " + std::to_string(dim) +
              ", would be right");
  }
  return k.list->at(0);
}

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  std::vector<Type> types{without_dims(x), Type::unranked(DType::i64)};
  if (has_rank(x)) {
    Dims dims         = x.dims;
    const size_t axis = axis_of(call, dims.size());
    dims[axis]        = count(call, dims[axis]);
    types             = {with_dims(x, dims), i64(dims)};
  }
  types.resize(call.outputs);
  return types;
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  std::string text                 = letters(tensor_operand(call, 0).dims.size());
  text[axis_of(call, text.size())] = '.';
  return {.text = factor_text(call, {text}, std::vector<std::string>(call.outputs, text))};
}

// The first k positions of a lane in order of value; equal values keep their order.
template <class T>
std::vector<size_t> best(const std::vector<T>& lane, size_t k, bool largest) {
  std::vector<size_t> order(lane.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return largest ? lane[a] > lane[b] : lane[a] < lane[b]; });
  order.resize(k);
  return order;
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x     = value_of(call, 0);
  const size_t axis  = axis_of(call, x.dims().size());
  const bool largest = call.attributes.int_or("largest", 1) != 0;
  Dims dims          = x.dims();
  dims[axis]         = count(call, dims[axis]);
  const Lanes from = lanes_along(x.dims(), axis), to = lanes_along(dims, axis);
  std::vector<int64_t> positions(static_cast<size_t>(element_count(dims)));
  with_number_type(x.dtype(), [&](auto zero) {
    const auto values = values_of<decltype(zero)>(x);
    std::vector<decltype(zero)> lane(from.length);
    for (size_t n = 0; n < from.count(); ++n) {
      for (size_t i = 0; i < lane.size(); ++i) lane[i] = values[from.at(n, i)];
      const auto order = best(lane, to.length, largest);
      for (size_t i = 0; i < order.size(); ++i) positions[to.at(n, i)] = static_cast<int64_t>(order[i]);
    }
  });
  const Array indices = Array::of_ints(dims, positions);
  std::vector<Array> results{take(x, dims, element_offsets(call, x.dims(), indices, axis)), indices};
  results.resize(call.outputs);
  return results;
}

// Only what was chosen has a gradient.
void grad(GradBuilder& builder) {
  const size_t rank = tensor_operand(builder.call(), 0).dims.size();
  const size_t axis = axis_attribute(builder.call(), rank, -1);
  const Attributes attributes{{"axis", static_cast<int64_t>(axis)}, {"reduction", "add"}};
  const std::vector<int> operands{emit_zeros(builder, axis), builder.output(1), builder.output_gradient(0)};
  builder.set_input_gradient(0, builder.emit("ScatterElements", attributes, operands)[0]);
}

std::vector<Sample> samples() {
  const Array x = Array::of_floats({2, 4}, {1, 4, 3, 2, -1, -2, 5, 0});
  return {{.attributes = {},
           .inputs     = {f32({2, 4}), i64({1})},
           .values     = {{0, x}, {1, Array::of_ints({1}, {3})}},
           .outputs    = 2},
          {.attributes = {{"axis", int64_t{0}}, {"largest", int64_t{0}}},
           .inputs     = {f32({2, 4}), i64({1})},
           .values     = {{0, x}, {1, Array::of_ints({1}, {1})}},
           .outputs    = 2}};
}

}  // namespace

OpDef row() {
  return {
      .name = "TopK",
      .doc = "x[a,n,b], k -> the k largest (largest = 0: smallest) elements along `axis` in order, and their positions",
      .whole_because = "it ranks all elements along that dimension",
      .infer         = infer,
      .factors       = factors,
      // A heap of k a lane: about log2(n) comparisons an element would do; one is counted.
      .work    = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, count_of(call.inputs[0])); },
      .eval    = eval,
      .grad    = grad,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::topk
