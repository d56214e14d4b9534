#include "ops/common/axes.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::flatten {

namespace {

Dims flat(const OpCall& call, const Dims& dims) {
  const auto rank    = static_cast<int64_t>(dims.size());
  const int64_t axis = call.attributes.int_or("axis", 1);
  if (axis < -rank || axis > rank) {
    call.fail("axis " + std::to_string(axis) + " of rank " + std::to_string(rank) + "; it must lie in [-rank, rank]");
  }
  const auto middle  = static_cast<size_t>(axis < 0 ? axis + rank : axis);
  const auto product = [&](size_t from, size_t to) {
    return element_count(Dims(std::span(dims.begin() + from, dims.begin() + to)));
  };
  return {product(0, middle), product(middle, dims.size())};
}

}  // namespace

OpDef row() {
  return {
      .name            = "Flatten",
      .doc             = "x[a..,b..] -> y[prod a, prod b], divided before `axis`",
      .role            = Role::view,
      .additive        = true,
      .aliases_operand = true,
      .infer           = [](const OpCall& call) -> std::vector<Type> {
        const Type x = tensor_operand(call, 0);
        if (!has_rank(x)) return {with_dims(x, {Dims::kUnknown, Dims::kUnknown})};
        return {with_dims(x, flat(call, x.dims))};
      },
      .factors = [](const OpCall&) -> Factors { return {.rule = Factors::Rule::linear_view, .text = ""}; },
      .work    = nothing,
      .eval    = [](const OpCall& call) -> std::vector<Array> {
        return {value_of(call, 0).reshaped(flat(call, value_of(call, 0).dims()))};
      },
      .grad = grad_reshaped,
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({4, 2, 3})}}, {{{"axis", int64_t{-1}}}, {f32({2, 2, 3})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::flatten
