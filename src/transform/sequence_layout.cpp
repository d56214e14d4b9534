#include "sequence_layout.h"

namespace foreflow::transform {

SequenceLayouts::SequenceLayouts(const ir::Function& function, const interpret::Values<interpret::Mixed>& values) {
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ir::Type& type = values[i].type;
    if (function.parameters[i] == ir::ParameterRole::weight || !type.is_tensor() || type.dims.size() < 2) continue;
    data_.push_back({type.dims[0], ir::is_float(type.dtype) ? type.dims[1] : type.dims.back()});
  }
}

Layout SequenceLayouts::of_activation(const ir::Type& type, int ways) const {
  if (!type.is_tensor() || type.dims.size() < 2) return Layout::whole();
  ir::Dims positions = type.dims;
  positions.erase(positions.size() - 1);
  return of_indices(ir::Type::tensor(type.dtype, positions), ways);
}

Layout SequenceLayouts::of_indices(const ir::Type& type, int ways) const {
  if (!type.is_tensor() || type.dims.empty()) return Layout::whole();
  const ir::Dims& dims   = type.dims;
  const auto split_among = [&](size_t dim, int64_t blocks) {
    const bool divides = dims[dim] > 0 && dims[dim] % (blocks * ways) == 0;
    return divides ? Layout::split(static_cast<int32_t>(dim), blocks) : Layout::whole();
  };
  for (const Sizes& data : data_) {
    if (data.batch <= 0) continue;
    if (dims.size() == 1 && data.length > 0 && dims[0] == data.batch * data.length) return split_among(0, data.batch);
    if (dims.size() == 1) continue;
    if (dims[0] == data.batch) {
      // Dimensions of one stand for axes that an export keeps: [b,1,s,h].
      size_t dim = 1;
      while (dim + 1 < dims.size() && dims[dim] == 1) ++dim;
      return split_among(dim, 1);
    }
    if (dims[1] == data.batch) return split_among(0, 1);
  }
  return Layout::whole();
}

}  // namespace foreflow::transform
