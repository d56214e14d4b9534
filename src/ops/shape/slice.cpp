#include <algorithm>

#include "foreflow/base/nth.h"
#include "ops/common/axes.h"
#include "ops/common/letters.h"
#include "ops/common/views.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::slice {

namespace {

struct Bounds {
  int64_t first = 0, count = 0, step = 1;
};

// Returns the part that is taken of a dimension of `dim` elements. Limits count from the end when they are negative,
// and are clamped, as in Python.
Bounds bounds(const OpCall& call, int64_t dim, int64_t start, int64_t end, int64_t step) {
  if (step == 0) call.fail("a step is 0; any other integer would be right");
  const int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? dim : dim - 1;
  // INT64_MIN stands for "before the first element" in ONNX files; adding dim to it is safe.
  const auto clamp    = [&](int64_t at) { return std::clamp(at < 0 ? at + dim : at, lowest, highest); };
  const int64_t first = clamp(start), last = clamp(end);
  const int64_t span  = step > 0 ? last - first : first - last;
  const uint64_t size = step > 0 ? static_cast<uint64_t>(step) : uint64_t{0} - static_cast<uint64_t>(step);
  if (span <= 0) return {.first = first, .count = 0, .step = step};
  return {.first = first, .count = static_cast<int64_t>((static_cast<uint64_t>(span) - 1) / size) + 1, .step = step};
}

struct Limits {
  Integers starts, ends, axes, steps;
  bool unknown() const { return starts.unknown() || ends.unknown() || axes.unknown() || steps.unknown(); }
};

Limits limits(const OpCall& call) {
  Limits all{integers(call, "starts", 1), integers(call, "ends", 2), integers(call, "axes", 3),
             integers(call, "steps", 4)};
  if (!all.starts.given || !all.ends.given) call.fail("needs both starts and ends, as attributes or operands");
  return all;
}

// Per sliced axis; the other dimensions are whole. The limits must be known.
std::vector<std::pair<size_t, Bounds>> sliced(const OpCall& call, const Dims& dims) {
  const Limits all = limits(call);
  std::vector<std::pair<size_t, Bounds>> result;
  const size_t count = all.starts.list->size();
  if (all.ends.list->size() != count || (all.axes.list && all.axes.list->size() != count) ||
      (all.steps.list && all.steps.list->size() != count)) {
    call.fail("starts, ends, axes and steps have different lengths; equal lengths would be right");
  }
  for (size_t i = 0; i < count; ++i) {
    const size_t axis  = normal_axis(call, all.axes.list ? (*all.axes.list)[i] : static_cast<int64_t>(i), dims.size());
    const int64_t step = all.steps.list ? (*all.steps.list)[i] : 1;
    if (dims[axis] == Dims::kUnknown) {
      result.emplace_back(axis, Bounds{.first = 0, .count = Dims::kUnknown, .step = step});
    } else
      result.emplace_back(axis, bounds(call, dims[axis], (*all.starts.list)[i], (*all.ends.list)[i], step));
  }
  return result;
}

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  if (!has_rank(x)) return {without_dims(x)};
  if (limits(call).unknown()) return {with_dims(x, Dims(x.dims.size(), Dims::kUnknown))};
  Dims dims = x.dims;
  for (const auto& [axis, bound] : sliced(call, x.dims)) dims[axis] = bound.count;
  return {with_dims(x, dims)};
}

// Into how many equal parts a slice of one dimension cuts it, if it takes one of them; else 0.
int64_t equal_parts(int64_t size, const Bounds& bound) {
  const bool part = bound.step == 1 && bound.count > 0 && size % bound.count == 0 && bound.first % bound.count == 0;
  return part ? size / bound.count : 0;
}

// One of n equal parts counts n blocks on the side of the operand, as a Split does.
Factors factors(const OpCall& call) {
  if (!splittable(call) || limits(call).unknown()) return {};
  const Dims dims       = tensor_operand(call, 0).dims;
  const auto cut        = sliced(call, dims);
  const std::string all = letters(dims.size());
  std::string text      = all;
  for (const auto& [axis, bound] : cut) text[axis] = '.';
  const int64_t parts =
      cut.size() == 1 && call.arity() == 1 ? equal_parts(dims[cut.begin()->first], cut.begin()->second) : 0;
  if (parts < 2) return {.text = factor_text(call, {text}, {text})};
  return {.text = factor_text(call, {all}, {all}) + ";" + all[cut.begin()->first], .blocks = static_cast<int>(parts)};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x  = value_of(call, 0);
  Offsets strides = strides_of(x.dims());
  Dims dims       = x.dims();
  int64_t offset  = 0;
  for (const auto& [axis, bound] : sliced(call, x.dims())) {
    dims[axis] = bound.count;
    offset += bound.first * strides[axis];
    // A step over the whole dimension is taken at most once; then its size does not matter.
    strides[axis] *= bound.count > 1 ? bound.step : 0;
  }
  return {take(x, dims, element_count(dims) == 0 ? Offsets{} : offsets_of(dims, strides, offset))};
}

// Elements that were cut off get zeros, and so do those that steps leave out.
void grad(GradBuilder& builder) {
  const OpCall& call = builder.call();
  const Type x       = tensor_operand(call, 0);
  if (!has_dims(x) || limits(call).unknown()) call.fail("shapes and limits must be known to differentiate");
  int dx = builder.output_gradient(0);
  std::vector<int64_t> before(x.dims.size()), after(x.dims.size());
  bool padded = false;
  for (const auto& [axis, bound] : sliced(call, x.dims)) {
    if (bound.step == 1) {
      before[axis] = bound.first;
      after[axis]  = x.dims[axis] - bound.first - bound.count;
      padded       = true;
      continue;
    }
    std::vector<int64_t> positions;
    for (int64_t i = 0; i < bound.count; ++i) positions.push_back(bound.first + i * bound.step);
    dx = emit_scattered(builder, dx, axis, x.dims[axis], positions);
  }
  before.insert(before.end(), after.begin(), after.end());
  builder.set_input_gradient(0, padded ? builder.emit("Pad", {{"pads", before}}, {dx})[0] : dx);
}

std::vector<Sample> samples() {
  using Ints = std::vector<int64_t>;
  return {
      {{{"starts", Ints{1}}, {"ends", Ints{-1}}, {"axes", Ints{1}}}, {f32({2, 5})}},
      {{{"starts", Ints{4}}, {"ends", Ints{8}}, {"axes", Ints{1}}}, {f32({2, 12, 2})}},
      {{{"starts", Ints{0, 1}}, {"ends", Ints{3, 100}}}, {f32({4, 3, 2})}},
      {{{"starts", Ints{1, -1}}, {"ends", Ints{2, -100}}, {"axes", Ints{1, 0}}, {"steps", Ints{1, -2}}}, {f32({5, 3})}},
      {{},
       {i64({6}), i64({1}), i64({1}), i64({1}), i64({1})},
       {{1, Array::of_ints({1}, {-1})},
        {2, Array::of_ints({1}, {-100})},
        {3, Array::of_ints({1}, {0})},
        {4, Array::of_ints({1}, {-2})}}}};
}

// One of n equal parts stays one of n. Limits count from the end where they are negative, and may be beyond it.
void fit_part(Attributes& attributes, const OpCall& whole, std::span<const Type>, const ir::PartOfCall& part) {
  if (!part.cuts_blocks) return;
  const int64_t dim = nth(whole.inputs[0].dims, part.operand_dim);
  for (const char* key : {"starts", "ends"}) {
    const int64_t limit = attributes.get_ints(key)[0];
    attributes.set(key, std::vector<int64_t>{std::min(limit < 0 ? limit + dim : limit, dim) / part.ways});
  }
}

}  // namespace

OpDef row() {
  return {
      .name            = "Slice",
      .doc             = "x[starts:ends:steps] along `axes` (all when absent), limits as in Python",
      .role            = Role::view,
      .additive        = true,
      .aliases_operand = true,
      .fit_part        = fit_part,
      .whole_because   = "it takes a part of that dimension",
      .infer           = infer,
      .factors         = factors,
      .work            = copies_outputs,
      .eval            = eval,
      .grad            = grad,
      .samples         = samples,
  };
}

}  // namespace foreflow::ops::definitions::slice
