// Reductions over axes.
#pragma once

#include <cmath>
#include <limits>

#include "foreflow/base/nth.h"
#include "ops/common/kernel.h"
#include "ops/common/views.h"

namespace foreflow::ops {

// The type of the reduced tensor; `axes` (attribute or operand 1), `keepdims`, `noop_with_empty_axes`.
std::vector<Type> infer_reduction(const OpCall& call);
Work reduction_work(const OpCall& call, std::span<const Type> outputs);
std::vector<Sample> reduction_samples();

// Returns true if reduced dimensions stay, as 1: attribute `keepdims`, 1 unless given.
bool keeps_dims(const OpCall& call);

// Factors of a reduction. sum_factors gives a reduced dimension a letter, since partial sums may be added up;
// whole_factors gives it a dot, so it must stay whole.
Factors sum_factors(const OpCall& call);
Factors whole_factors(const OpCall& call);

// Which dimensions of a tensor of shape `dims` are reduced; the axes must be known.
std::vector<bool> reduced_axes(const OpCall& call, const Dims& dims);
// The shape with every reduced dimension as 1, and the result's own (without them unless `keepdims`).
Dims kept_dims(const OpCall& call, const Dims& dims);
Dims reduced_dims(const OpCall& call, const Dims& dims);

// Emits `value` (shape of the result) with every reduced dimension as 1, so that it broadcasts with the operand.
int emit_kept(GradBuilder& builder, int value);
// Emits `gradient` (shape of the result) stretched to the shape of the operand.
int emit_stretched(GradBuilder& builder, int gradient);
// Emits a reduction `op` of `value`, which has the shape of the operand, over the axes that `call` reduces, all kept
// as 1.
int emit_reduction(GradBuilder& builder, std::string_view op, int value);
// The reverse rule of ReduceMax and ReduceMin: the elements that equal the result share its gradient.
void grad_of_extreme(GradBuilder& builder);

// kStart(zero): the neutral element; kCombine(sum, x); kFinish(sum, count).
template <auto kStart, auto kCombine, auto kFinish>
std::vector<Array> eval_reduction(const OpCall& call) {
  const Array& x  = value_of(call, 0);
  const Dims kept = kept_dims(call, x.dims());
  return {with_number_type(x.dtype(), [&](auto zero) {
    using T                 = decltype(zero);
    const std::vector<T> xs = values_of<T>(x);
    const Offsets target    = broadcast_offsets(kept, x.dims());
    std::vector<T> sums(static_cast<size_t>(element_count(kept)), static_cast<T>(kStart(zero)));
    for (size_t i = 0; i < xs.size(); ++i) {
      T& sum = nth(sums, target[i]);
      sum    = static_cast<T>(kCombine(sum, xs[i]));
    }
    const size_t terms = sums.empty() ? 0 : xs.size() / sums.size();
    const auto count   = static_cast<T>(terms);
    for (T& sum : sums) sum = static_cast<T>(kFinish(sum, count));
    return array_of<T>(x.dtype(), reduced_dims(call, x.dims()), sums);
  })};
}

constexpr auto kNoFinish = [](auto sum, auto) { return sum; };

template <auto kStart, auto kCombine, auto kFinish = kNoFinish>
OpDef reduction(std::string_view name, std::string_view doc) {
  return {
      .name          = name,
      .doc           = doc,
      .reduction     = true,
      .whole_because = "its result depends on all elements along that dimension",
      .infer         = infer_reduction,
      .factors       = whole_factors,
      .work          = reduction_work,
      .eval          = eval_reduction<kStart, kCombine, kFinish>,
      .samples       = reduction_samples,
  };
}

}  // namespace foreflow::ops
