#include "ops/common/planes.h"

namespace foreflow::ops {

Type infer_plane(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  if (!has_rank(x)) return x;
  if (x.dims.size() < 2) call.fail("x is " + to_string(x.dims) + "; it should be (N, C, ...)");
  return with_dims(x, with_spatial(x.dims[0], x.dims[1], Sizes(x.dims.size() - 2, 1)));
}

std::vector<int64_t> plane_axes(const Type& x) {
  std::vector<int64_t> axes;
  for (size_t axis = 2; axis < x.dims.size(); ++axis) axes.push_back(static_cast<int64_t>(axis));
  return axes;
}

}  // namespace foreflow::ops
