#include <algorithm>
#include <numeric>

#include "foreflow/ir/countable.h"
#include "ops/common/axes.h"
#include "ops/common/letters.h"
#include "ops/common/views.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::split {

namespace {

int64_t axis_of(const OpCall& call) { return call.attributes.int_or("dim", call.attributes.int_or("axis", 0)); }

int64_t parts_of(const OpCall& call) {
  const auto outputs  = static_cast<int64_t>(call.outputs);
  const int64_t parts = call.attributes.int_or("num_splits", call.attributes.int_or("num_outputs", outputs));
  if (parts != outputs) {
    call.fail("makes " + std::to_string(parts) + " parts for " + std::to_string(outputs) +
              " results; as many would be right");
  }
  return parts;
}

// The sizes of the parts; the last one is smaller when they cannot be equal. Unknown while operand 1 is.
std::vector<int64_t> sizes_of(const OpCall& call, int64_t dim) {
  const Integers split = integers(call, "split", 1);
  const int64_t parts  = split.list ? static_cast<int64_t>(split.list->size()) : parts_of(call);
  if (parts != static_cast<int64_t>(call.outputs)) {
    call.fail("split has " + std::to_string(parts) + " sizes for " + std::to_string(call.outputs) + " results");
  }
  if (split.unknown() || (!split.list && dim == Dims::kUnknown)) {
    return std::vector<int64_t>(call.outputs, Dims::kUnknown);
  }
  if (split.list) {
    for (const int64_t size : *split.list) {
      if (size < 0) call.fail("a part has the size " + std::to_string(size) + "; 0 or more would be right");
    }
    const int64_t total = std::accumulate(split.list->begin(), split.list->end(), int64_t{0}, ir::clamped_sum);
    if (dim != Dims::kUnknown && total != dim) {
      call.fail("the sizes sum to " + std::to_string(total) + ", not to the dimension " + std::to_string(dim));
    }
    return *split.list;
  }
  const int64_t size = (dim + parts - 1) / parts;
  if (size * (parts - 1) > dim) {
    call.fail("a dimension of " + std::to_string(dim) + " does not split into " + std::to_string(parts) + " parts");
  }
  std::vector<int64_t> sizes(call.outputs, size);
  sizes.back() = dim - size * (parts - 1);
  return sizes;
}

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  if (!has_rank(x)) return std::vector<Type>(call.outputs, without_dims(x));
  const size_t axis = normal_axis(call, axis_of(call), x.dims.size());
  std::vector<Type> types;
  for (const int64_t size : sizes_of(call, x.dims[axis])) {
    Dims dims  = x.dims;
    dims[axis] = size;
    types.push_back(with_dims(x, dims));
  }
  return types;
}

// Equal parts keep their letter along the axis: x is blocks of them. An attribute `split` shrinks with the parts; an
// operand would not.
Factors factors(const OpCall& call) {
  if (!splittable(call) || integers(call, "split", 1).unknown()) return {};
  const Dims dims                  = tensor_operand(call, 0).dims;
  const size_t axis                = normal_axis(call, axis_of(call), dims.size());
  const std::vector<int64_t> sizes = sizes_of(call, dims[axis]);
  std::string text                 = letters(dims.size());
  const bool written               = call.has(1) && call.attributes.find("split") == nullptr;
  const bool equal                 = !written && std::count(sizes.begin(), sizes.end(), sizes[0]) == std::ssize(sizes);
  if (!equal) text[axis] = '.';
  return {.text    = factor_text(call, {text}, std::vector<std::string>(call.outputs, text)),
          .blocked = equal ? text[axis] : char{0},
          .blocks  = equal ? static_cast<int>(call.outputs) : 1};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x        = value_of(call, 0);
  const size_t axis     = normal_axis(call, axis_of(call), x.dims().size());
  const Offsets strides = strides_of(x.dims());
  std::vector<Array> parts;
  int64_t position = 0;
  for (const int64_t size : sizes_of(call, x.dims()[axis])) {
    Dims dims  = x.dims();
    dims[axis] = size;
    parts.push_back(take(x, dims, offsets_of(dims, strides, position * strides[axis])));
    position += size;
  }
  return parts;
}

void grad(GradBuilder& builder) {
  std::vector<int> gradients;
  for (size_t i = 0; i < builder.call().outputs; ++i) gradients.push_back(builder.output_gradient(i));
  builder.set_input_gradient(0, builder.emit("Concat", {{"axis", axis_of(builder.call())}}, gradients)[0]);
}

std::vector<Sample> samples() {
  return {{{{"dim", int64_t{0}}, {"num_splits", int64_t{2}}}, {f32({8, 2})}, {}, 2},
          {{{"axis", int64_t{-1}}, {"num_outputs", int64_t{3}}}, {f32({2, 8})}, {}, 3},
          {{{"axis", int64_t{1}}}, {f32({2, 12}), i64({3})}, {{1, Array::of_ints({3}, {2, 4, 6})}}, 3},
          {{{"axis", int64_t{1}}, {"split", std::vector<int64_t>{4, 4, 4}}}, {f32({2, 12})}, {}, 3}};
}

void fit_part(Attributes& attributes, const OpCall&, std::span<const Type>, const ir::PartOfCall& part) {
  if (!part.cuts_blocks || attributes.find("split") == nullptr) return;
  std::vector<int64_t> sizes = attributes.get_ints("split");
  for (int64_t& size : sizes) size /= part.ways;
  attributes.set("split", sizes);
}

}  // namespace

OpDef row() {
  return {
      .name            = "Split",
      .doc             = "x[a,n,b] -> x0[a,n0,b], x1[a,n1,b], ..: equal parts, or sizes `split`, along axis (or dim)",
      .role            = Role::view,
      .additive        = true,
      .aliases_operand = true,
      .fit_part        = fit_part,
      .whole_because   = "it cuts that dimension into parts",
      .infer           = infer,
      .factors         = factors,
      .work            = moves_unless_placed,
      .eval            = eval,
      .grad            = grad,
      .samples         = samples,
  };
}

}  // namespace foreflow::ops::definitions::split
