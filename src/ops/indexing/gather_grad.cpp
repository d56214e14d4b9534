#include "foreflow/ir/countable.h"
#include "ops/common/axes.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::gather_grad {

namespace {

// dy[a..,i..,b..] is the gradient of Gather(data[a..,n,b..], indices[i..]); `axis` counts the dimensions a from the
// front.
struct Layout {
  size_t axis = 0, index_rank = 0;
  Dims data;
};

// The size of the dimension that was gathered from, which dy does not show: operand 2, where it is given, is the shape
// of the data; else it is the attribute `dim`.
int64_t gathered_dim(const OpCall& call, size_t axis) {
  if (call.has(2)) return call.known[2] == nullptr ? Dims::kUnknown : call.known[2]->to_ints().at(axis);
  const int64_t dim = call.attributes.get_int("dim");
  if (dim < 0 || dim > ir::kMostElements)
    call.fail("dim is " + std::to_string(dim) + "; that of the data would be right");
  return dim;
}

std::optional<Layout> layout_of(const OpCall& call) {
  const Type indices = tensor_operand(call, 0), dy = tensor_operand(call, 1);
  if (indices.is_tensor() && ir::is_float(indices.dtype)) call.fail("the indices are floats; integers would be right");
  if (!has_rank(indices) || !has_rank(dy)) return std::nullopt;
  Layout layout{.axis = 0, .index_rank = indices.dims.size(), .data = {}};
  if (dy.dims.size() < layout.index_rank)
    call.fail("dy has fewer dimensions than the indices; it should have the shape of Gather's result");
  layout.axis = axis_attribute(call, dy.dims.size() - layout.index_rank + 1, 0);
  for (size_t d = 0; d < dy.dims.size(); ++d) {
    if (d == layout.axis) layout.data.push_back(gathered_dim(call, layout.axis));
    const bool gathered = d >= layout.axis && d < layout.axis + layout.index_rank;
    if (!gathered) layout.data.push_back(dy.dims[d]);
    const int64_t index = gathered ? indices.dims[d - layout.axis] : dy.dims[d];
    if (index != dy.dims[d] && index != Dims::kUnknown && dy.dims[d] != Dims::kUnknown) {
      call.fail("indices are " + to_string(indices.dims) + " and dy " + to_string(dy.dims) +
                "; it should have the shape of Gather's result");
    }
  }
  if (layout.axis == dy.dims.size()) layout.data.push_back(gathered_dim(call, layout.axis));
  return layout;
}

// Splitting the indices leaves partial sums.
Factors grad_factors(const OpCall& call) {
  if (!splittable(call) || call.has(2)) return {};
  const auto known = layout_of(call);
  if (!known) return {};
  const Layout& layout      = *known;
  const size_t rank         = tensor_operand(call, 1).dims.size();
  const std::string dy      = letters(rank);
  const std::string indices = dy.substr(layout.axis, layout.index_rank);
  return {.text = factor_text(call, {indices, dy},
                              {dy.substr(0, layout.axis) + "." + dy.substr(layout.axis + layout.index_rank)})};
}

std::vector<Array> eval_grad(const OpCall& call) {
  const Array &indices = value_of(call, 0), &dy = value_of(call, 1);
  const Layout layout  = *layout_of(call);
  const int64_t choice = gathered_dim(call, layout.axis);
  const auto chosen    = indices.to_ints();
  const auto slopes    = values_of<double>(dy);
  size_t outer = 1, inner = 1;
  for (size_t d = 0; d < layout.data.size(); ++d) {
    if (d != layout.axis) (d < layout.axis ? outer : inner) *= static_cast<size_t>(layout.data[d]);
  }
  std::vector<double> sums(outer * static_cast<size_t>(choice) * inner);
  size_t at = 0;
  for (size_t a = 0; a < outer; ++a) {
    for (const int64_t index : chosen) {
      const int64_t row = index < 0 ? index + choice : index;
      if (row < 0 || row >= choice)
        call.fail("index " + std::to_string(index) + " of a dimension of " + std::to_string(choice));
      for (size_t b = 0; b < inner; ++b, ++at)
        sums[(a * static_cast<size_t>(choice) + static_cast<size_t>(row)) * inner + b] += slopes[at];
    }
  }
  return {array_of(dy.dtype(), layout.data, sums)};
}

}  // namespace

OpDef row() {
  return {
      .name = "GatherGrad",
      .doc =
          "indices[i..], dy[a..,i..,b..], shape of data (or dim) -> ddata[a..,dim,b..]: adds every row of dy to the "
          "row of ddata that it was gathered from",
      .domain         = "foreflow",
      .vocabulary     = {ir::VocabularyForm::Kind::lookup_gradient, "GatherPartGrad"},
      .linear_operand = [](const OpCall&) -> std::optional<size_t> { return 1; },
      .whole_because  = "its indices may point anywhere along that dimension",
      .infer          = [](const OpCall& call) -> std::vector<Type> {
        const Type dy                      = tensor_operand(call, 1);
        const std::optional<Layout> layout = layout_of(call);
        return {layout ? with_dims(dy, layout->data) : without_dims(dy)};
      },
      .factors = grad_factors,
      .work    = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, count_of(call.inputs[1])); },
      .eval    = eval_grad,
      .samples =
          [] {
            return std::vector<Sample>{
                {{{"axis", 0}, {"dim", 5}}, {i64({4}), f32({4, 2})}, {{0, Array::of_ints({4}, {0, -1, 3, 3})}}},
                {{{"axis", 1}, {"dim", 3}},
                 {i64({2, 2}), f32({2, 2, 2, 4})},
                 {{0, Array::of_ints({2, 2}, {2, 0, 1, 1})}}},
                {{},
                 {i64({3}), f32({3, 2}), i64({2})},
                 {{0, Array::of_ints({3}, {1, 0, 1})}, {2, Array::of_ints({2}, {4, 2})}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::gather_grad
