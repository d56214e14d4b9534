#include <algorithm>
#include <map>

#include "ops/common/axes.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/views.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::unique {

namespace {

bool is_flat(const OpCall& call) { return call.attributes.find("axis") == nullptr; }

// Each slice along the axis as the list of its numbers; without `axis`, each element.
template <class T>
std::vector<std::vector<T>> slices_of(const Array& x, size_t axis) {
  const auto values     = values_of<T>(x);
  const Offsets strides = strides_of(x.dims());
  Dims one              = x.dims();
  one[axis]             = 1;
  const Offsets inner   = offsets_of(one, strides);
  std::vector<std::vector<T>> slices(static_cast<size_t>(x.dims()[axis]));
  for (size_t i = 0; i < slices.size(); ++i) {
    for (const int64_t offset : inner)
      slices[i].push_back(values[static_cast<size_t>(offset) + i * static_cast<size_t>(strides[axis])]);
  }
  return slices;
}

struct Groups {
  std::vector<int64_t> first, inverse, counts;  // first place of each group; group of each place; size of each group
};

template <class T>
Groups grouped(const std::vector<std::vector<T>>& slices, bool sorted) {
  std::map<std::vector<T>, std::vector<size_t>> places;
  for (size_t i = 0; i < slices.size(); ++i) places[slices[i]].push_back(i);
  std::vector<std::vector<size_t>> order;
  for (const auto& [slice, where] : places) order.push_back(where);
  if (!sorted) std::sort(order.begin(), order.end());  // by first place
  Groups groups{.first = {}, .inverse = std::vector<int64_t>(slices.size()), .counts = {}};
  for (size_t g = 0; g < order.size(); ++g) {
    groups.first.push_back(static_cast<int64_t>(order[g][0]));
    groups.counts.push_back(static_cast<int64_t>(order[g].size()));
    for (const size_t place : order[g]) groups.inverse[place] = static_cast<int64_t>(g);
  }
  return groups;
}

std::vector<Array> eval(const OpCall& call) {
  const Array& given = value_of(call, 0);
  const Array x      = is_flat(call) ? given.reshaped({given.size()}) : given;
  const size_t axis  = is_flat(call) ? 0 : axis_attribute(call, x.dims().size(), 0);
  const bool sorted  = call.attributes.int_or("sorted", 1) != 0;
  const Groups groups =
      with_number_type(x.dtype(), [&](auto zero) { return grouped(slices_of<decltype(zero)>(x, axis), sorted); });
  Dims dims             = x.dims();
  dims[axis]            = static_cast<int64_t>(groups.first.size());
  const Offsets strides = strides_of(x.dims()), positions = strides_of(dims);
  Offsets within  = strides;
  within[axis]    = 0;
  Offsets offsets = offsets_of(dims, within);
  for (size_t i = 0; i < offsets.size(); ++i) {
    const auto group = static_cast<size_t>(static_cast<int64_t>(i) / positions[axis] % dims[axis]);
    offsets[i] += groups.first[group] * strides[axis];
  }
  const auto list = [](const std::vector<int64_t>& numbers) {
    return Array::of_ints({static_cast<int64_t>(numbers.size())}, numbers);
  };
  std::vector<Array> results{take(x, dims, offsets), list(groups.first), list(groups.inverse), list(groups.counts)};
  results.resize(call.outputs);
  return results;
}

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  std::vector<Type> types{x, i64({Dims::kUnknown}), i64({Dims::kUnknown}), i64({Dims::kUnknown})};
  if (call.known[0] != nullptr) {
    types.clear();
    for (const Array& array : eval(call)) types.push_back(array.type());
  } else if (is_flat(call)) {
    if (x.is_tensor()) types[0] = with_dims(x, {Dims::kUnknown});
  } else if (has_rank(x)) {
    types[0].dims[axis_attribute(call, x.dims.size(), 0)] = Dims::kUnknown;
  }
  types.resize(call.outputs);
  return types;
}

}  // namespace

OpDef row() {
  return {
      .name = "Unique",
      .doc =
          "the different elements of x (slices along `axis`), where each stands first, which one each place has, and "
          "how often it comes; sorted = 0: in order of appearance",
      .whole_because = "how many elements it keeps depends on all of them",
      .infer         = infer,
      .factors       = [](const OpCall&) -> Factors { return {}; },
      .work          = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, count_of(call.inputs[0])); },
      .eval          = eval,
      .samples =
          [] {
            const Array x = Array::of_floats({3, 2}, {2, 1, 0, 1, 2, 1});
            return std::vector<Sample>{{.attributes = {}, .inputs = {f32({3, 2})}, .values = {{0, x}}, .outputs = 4},
                                       {.attributes = {{"axis", int64_t{0}}, {"sorted", int64_t{0}}},
                                        .inputs     = {f32({3, 2})},
                                        .values     = {{0, x}},
                                        .outputs    = 2}};
          },
  };
}

}  // namespace foreflow::ops::definitions::unique
