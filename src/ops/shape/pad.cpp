#include <algorithm>

#include "foreflow/ir/countable.h"
#include "ops/common/axes.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/operands.h"
#include "ops/common/views.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::pad {

namespace {

struct Margin {
  int64_t before = 0, after = 0;
};

// Per dimension; negative margins cut off.
std::vector<Margin> margins(const OpCall& call, size_t rank) {
  const std::vector<int64_t> pads = *integers(call, "pads", 1).list;
  const Integers axes             = integers(call, "axes", 3);
  const size_t count              = axes.list ? axes.list->size() : rank;
  if (pads.size() != 2 * count) {
    call.fail("pads has " + std::to_string(pads.size()) + " numbers; two for each of " + std::to_string(count) +
              " axes would be right");
  }
  std::vector<Margin> result(rank);
  for (size_t i = 0; i < count; ++i) {
    const size_t axis = axes.list ? normal_axis(call, (*axes.list)[i], rank) : i;
    result[axis]      = {.before = pads[i], .after = pads[count + i]};
  }
  return result;
}

// Maps a position outside 0 .. dim - 1 to the position from which it takes its element.
using Mirror = int64_t (*)(int64_t position, int64_t dim);

int64_t edge(int64_t position, int64_t dim) { return std::clamp<int64_t>(position, 0, dim - 1); }
int64_t wrap(int64_t position, int64_t dim) { return (position % dim + dim) % dim; }
// 2 1 | 0 1 2 | 1 0
int64_t reflect(int64_t position, int64_t dim) {
  if (dim == 1) return 0;
  const int64_t turned = wrap(position, 2 * (dim - 1));
  return std::min(turned, 2 * (dim - 1) - turned);
}

// Null for "constant", which takes from nowhere, and for unknown modes.
Mirror find_mirror(const std::string& mode) {
  if (mode == "edge") return edge;
  if (mode == "wrap") return wrap;
  return mode == "reflect" ? reflect : nullptr;
}

std::string mode_of(const OpCall& call) { return call.attributes.string_or("mode", "constant"); }

bool unknown(const OpCall& call) { return integers(call, "pads", 1).unknown() || integers(call, "axes", 3).unknown(); }

Dims padded(const OpCall& call, const Dims& dims) {
  Dims result                      = dims;
  const std::vector<Margin> margin = margins(call, dims.size());
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] == Dims::kUnknown) continue;
    result[axis] = ir::clamped_sum(result[axis], ir::clamped_sum(margin[axis].before, margin[axis].after));
    if (result[axis] < 0) call.fail("pads cut off more than the dimension " + std::to_string(dims[axis]));
  }
  return result;
}

std::vector<Type> infer(const OpCall& call) {
  const Type x           = tensor_operand(call, 0);
  const std::string mode = mode_of(call);
  if (mode != "constant" && !find_mirror(mode))
    call.fail("mode \"" + mode + "\"; \"constant\", \"edge\", \"reflect\" or \"wrap\" would be right");
  if (!integers(call, "pads", 1).given) call.fail("has neither an operand nor an attribute `pads`");
  if (!has_rank(x)) return {without_dims(x)};
  return {with_dims(x, unknown(call) ? Dims(x.dims.size(), Dims::kUnknown) : padded(call, x.dims))};
}

Factors factors(const OpCall& call) {
  if (!splittable(call) || unknown(call)) return {};
  std::string text                 = letters(tensor_operand(call, 0).dims.size());
  const std::vector<Margin> margin = margins(call, text.size());
  for (size_t axis = 0; axis < text.size(); ++axis) {
    if (margin[axis].before != 0 || margin[axis].after != 0) text[axis] = '.';
  }
  return {.text = factor_text(call, {text}, {text})};
}

double fill(const OpCall& call) {
  if (call.attributes.find("value") != nullptr) return call.attributes.float_or("value", 0);
  return call.arity() > 2 && call.known[2] != nullptr ? number_of(call, *call.known[2]) : 0;
}

Array mirrored(const Array& x, const Dims& dims, const std::vector<Margin>& margin, Mirror mirror) {
  const Offsets strides = strides_of(x.dims());
  Offsets offsets       = {0};
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    Offsets finer;
    for (const int64_t offset : offsets) {
      for (int64_t i = 0; i < dims[axis]; ++i)
        finer.push_back(offset + mirror(i - margin[axis].before, x.dims()[axis]) * strides[axis]);
    }
    offsets = std::move(finer);
  }
  return take(x, dims, offsets);
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x                   = value_of(call, 0);
  const Dims dims                  = infer(call)[0].dims;
  const std::vector<Margin> margin = margins(call, dims.size());
  if (const Mirror mirror = find_mirror(mode_of(call))) {
    if (x.size() == 0) call.fail("mode \"" + mode_of(call) + "\" needs elements to repeat; x has none");
    return {mirrored(x, dims, margin, mirror)};
  }
  Array result =
      take(array_of<double>(x.dtype(), {}, {fill(call)}), dims, Offsets(static_cast<size_t>(element_count(dims)), 0));
  // The part of x that stays, and where it lands.
  const Offsets from = strides_of(x.dims()), to = strides_of(dims);
  Dims kept      = x.dims();
  int64_t source = 0, target = 0;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    const int64_t cut_before = std::max<int64_t>(0, -margin[axis].before),
                  cut_after  = std::max<int64_t>(0, -margin[axis].after);
    kept[axis]               = std::max<int64_t>(0, x.dims()[axis] - cut_before - cut_after);
    source += cut_before * from[axis];
    target += std::max<int64_t>(0, margin[axis].before) * to[axis];
  }
  if (element_count(kept) > 0) put(result, offsets_of(kept, to, target), take(x, kept, offsets_of(kept, from, source)));
  return {result};
}

// Modes that repeat elements of x: each gets the sum of what its copies get, axis by axis.
int unmirrored(GradBuilder& builder, const Dims& x, const std::vector<Margin>& margin, Mirror mirror) {
  int dx = builder.output_gradient(0);
  for (size_t axis = 0; axis < margin.size(); ++axis) {
    if (margin[axis].before == 0 && margin[axis].after == 0) continue;
    std::vector<int64_t> positions;
    for (int64_t i = -margin[axis].before; i < x[axis] + margin[axis].after; ++i) {
      positions.push_back(mirror(i, x[axis]));
    }
    dx = emit_scattered(builder, dx, axis, x[axis], positions);
  }
  return dx;
}

void grad(GradBuilder& builder) {
  const OpCall& call = builder.call();
  const Type x       = tensor_operand(call, 0);
  if (!has_dims(x) || unknown(call)) call.fail("the shape and the pads must be known to differentiate");
  const std::vector<Margin> margin = margins(call, x.dims.size());
  if (const Mirror mirror = find_mirror(mode_of(call))) {
    return builder.set_input_gradient(0, unmirrored(builder, x.dims, margin, mirror));
  }
  std::vector<int64_t> pads(2 * x.dims.size());
  for (size_t axis = 0; axis < margin.size(); ++axis) {
    pads[axis]                 = -margin[axis].before;
    pads[axis + margin.size()] = -margin[axis].after;
  }
  const int dy = builder.output_gradient(0), dx = builder.emit("Pad", {{"pads", pads}}, {dy})[0];
  if (builder.wanted(0)) builder.set_input_gradient(0, dx);
  if (!call.has(2) || !builder.wanted(2)) return;
  // The fill gets what does not come from x.
  const auto total = [&](int values) { return builder.emit("ReduceSum", {{"keepdims", int64_t{0}}}, {values})[0]; };
  const int rest   = builder.emit("Sub", {}, {total(dy), total(dx)})[0];
  const Dims shape = tensor_operand(call, 2).dims;
  const std::vector<int64_t> sizes(shape.begin(), shape.end());
  builder.set_input_gradient(2, builder.emit("Reshape", {{"shape", sizes}}, {rest})[0]);
}

std::vector<Sample> samples() {
  return {{{{"pads", std::vector<int64_t>{0, 1, 0, 2}}}, {f32({4, 2})}},
          {{{"value", -1.0}}, {f32({2, 6}), i64({4})}, {{1, Array::of_ints({4}, {0, -2, 0, 1})}}},
          {{}, {f32({2, 3}), i64({4}), f32({1})}, {{1, Array::of_ints({4}, {1, 0, 0, 2})}}},
          {{{"mode", "edge"}, {"pads", std::vector<int64_t>{0, 2, 0, 1}}}, {f32({2, 3})}},
          {{{"mode", "reflect"}, {"pads", std::vector<int64_t>{1, 2, 0, -1}}}, {f32({2, 4})}},
          {{{"mode", "wrap"}, {"pads", std::vector<int64_t>{0, 4, 0, 2}}}, {f32({2, 3})}},
          {{},
           {i64({2, 3}), i64({2}), i64({}), i64({1})},
           {{1, Array::of_ints({2}, {1, 1})}, {2, Array::scalar(int64_t{7})}, {3, Array::of_ints({1}, {0})}}}};
}

}  // namespace

OpDef row() {
  return {
      .name = "Pad",
      .doc =
          "x with pads[i] elements before and pads[n + i] after it along axis i: `value`, or x's own by `mode`; "
          "negative pads cut off",
      .linear_operand = [](const OpCall& call) -> std::optional<size_t> {
        const bool zeros = mode_of(call) == "constant" && !call.has(2) && call.attributes.float_or("value", 0) == 0;
        return zeros ? std::optional<size_t>(0) : std::nullopt;
      },
      .whole_because = "it cuts or fills up that dimension",
      .infer         = infer,
      .factors       = factors,
      .work          = [](const OpCall& call, std::span<const Type> outputs) { return moves(call, outputs); },
      .eval          = eval,
      .grad          = grad,
      .samples       = samples,
  };
}

}  // namespace foreflow::ops::definitions::pad
