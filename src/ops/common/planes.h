// Shared by global pools, which reduce each plane of x[n,c,..] to one number.
#pragma once

#include "ops/common/pool.h"

namespace foreflow::ops {

// The type of the result, [n,c,1,..].
Type infer_plane(const OpCall& call);

// Applies `f` to each plane. Fails if planes are empty.
template <class F>
Array map_planes(const OpCall& call, F f) {
  const Array& x    = value_of(call, 0);
  const auto values = values_of<double>(x);
  const Type result = infer_plane(call);
  const auto planes = static_cast<size_t>(element_count(result.dims));
  if (planes > 0 && values.empty())
    call.fail("x is " + to_string(x.dims()) + "; a plane without elements has no number");
  const size_t plane = planes == 0 ? 0 : values.size() / planes;
  std::vector<double> numbers;
  for (size_t p = 0; p < planes; ++p) numbers.push_back(f(std::span(values).subspan(p * plane, plane)));
  return array_of(x.dtype(), result.dims, numbers);
}

// The axes of the planes.
std::vector<int64_t> plane_axes(const Type& x);

}  // namespace foreflow::ops
