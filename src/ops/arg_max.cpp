#include "ops/axes.h"
#include "ops/kernel.h"
#include "ops/letters.h"
#include "ops/views.h"
#include "ops/work.h"

namespace foreflow::ops::definitions {

namespace {

size_t axis_of(const OpCall& call, size_t rank) { return axis_attribute(call, rank, 0); }
bool keeps_dims(const OpCall& call) { return call.attributes.int_or("keepdims", 1) != 0; }

Dims reduced(const OpCall& call, Dims dims) {
  const size_t axis = axis_of(call, dims.size());
  if (keeps_dims(call)) {
    dims[axis] = 1;
  } else
    dims.erase(axis);
  return dims;
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  std::string input                  = letters(tensor_operand(call, 0).dims.size());
  input[axis_of(call, input.size())] = '.';
  std::string output                 = input;
  if (!keeps_dims(call)) output.erase(axis_of(call, input.size()), 1);
  return {.text = factor_text(call, {input}, {output})};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x       = value_of(call, 0);
  const size_t axis    = axis_of(call, x.dims().size());
  const bool last      = call.attributes.int_or("select_last_index", 0) != 0;
  Dims starts          = x.dims();
  starts[axis]         = 1;
  const int64_t stride = strides_of(x.dims())[axis];
  return {with_number_type(x.dtype(), [&](auto zero) {
    const auto values = values_of<decltype(zero)>(x);
    std::vector<int64_t> best;
    for (const int64_t start : offsets_of(starts, strides_of(x.dims()))) {
      const auto element = [&](int64_t i) { return values[static_cast<size_t>(start + i * stride)]; };
      int64_t found      = 0;
      for (int64_t i = 1; i < x.dims()[axis]; ++i) {
        if (element(i) > element(found) || (last && element(i) == element(found))) found = i;
      }
      best.push_back(found);
    }
    return Array::of_ints(reduced(call, x.dims()), best);
  })};
}

}  // namespace

OpDef arg_max() {
  return {
      .name = "ArgMax",
      .doc  = "x[a,n,b] -> index of the largest element along `axis`, Int64, of the first one when several are largest",
      .infer = [](const OpCall& call) -> std::vector<Type> {
        const Type x = tensor_operand(call, 0);
        return {has_rank(x) ? i64(reduced(call, x.dims)) : Type::unranked(DType::i64)};
      },
      .factors = factors,
      .work    = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, count_of(call.inputs[0])); },
      .eval    = eval,
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({4, 2})}},
                                       {{{"axis", int64_t{-1}}, {"keepdims", int64_t{0}}}, {f32({2, 4, 3})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions
