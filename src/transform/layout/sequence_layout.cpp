#include "transform/layout/sequence_layout.h"

#include <algorithm>

#include "transform/layout/layout_domain.h"

namespace foreflow::transform {
namespace {

// The batch size that all data parameters have in common; 0 if there is none.
int64_t common_batch(const ir::Function& function, const interpret::Values<interpret::Mixed>& values) {
  int64_t batch = -1;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    if (function.parameters[i] == ir::ParameterRole::weight) continue;
    const ir::Type& type = values[i].type;
    const int64_t own    = type.is_tensor() && !type.dims.empty() ? type.dims[0] : 0;
    if (batch >= 0 && own != batch) return 0;
    batch = own;
  }
  return std::max<int64_t>(batch, 0);
}

}  // namespace

SequenceLayouts::SequenceLayouts(const ir::Module& module, const interpret::Values<interpret::Mixed>& values) {
  const ir::Function& function = module.entry();
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ir::Type& type = values[i].type;
    if (function.parameters[i] == ir::ParameterRole::weight || !type.is_tensor() || type.dims.size() < 2) continue;
    data_.push_back({type.dims[0], ir::is_float(type.dtype) ? type.dims[1] : type.dims.back()});
  }
  const int64_t batch = common_batch(function, values);
  if (batch < 2 || batch > INT32_MAX) return;
  const auto layouts = interpret_layouts(module, static_cast<int>(batch), "samples");
  for (const LaidOut& value : layouts.entry().values) samples_.push_back(value.layout);
}

Layout SequenceLayouts::of_activation(ir::ValueId id, const ir::Type& type, int ways) const {
  if (!type.is_tensor() || type.dims.size() < 2) return Layout::whole();
  ir::Dims positions = type.dims;
  positions.erase(positions.size() - 1);
  return of_positions(id, positions, ways);
}

Layout SequenceLayouts::of_indices(ir::ValueId id, const ir::Type& type, int ways) const {
  if (!type.is_tensor() || type.dims.empty()) return Layout::whole();
  return of_positions(id, type.dims, ways);
}

bool SequenceLayouts::counts_samples(ir::ValueId id, size_t dim) const {
  return samples_.empty() || samples_[ir::index(id)] == Layout::split(static_cast<int32_t>(dim));
}

Layout SequenceLayouts::of_positions(ir::ValueId id, const ir::Dims& dims, int ways) const {
  const auto split_among = [&](size_t dim, int64_t blocks) {
    const bool divides = dims[dim] > 0 && dims[dim] % (blocks * ways) == 0;
    return divides ? Layout::split(static_cast<int32_t>(dim), blocks) : Layout::whole();
  };
  for (const Sizes& data : data_) {
    if (data.batch <= 0) continue;
    if (dims.size() == 1 && data.length > 0 && dims[0] == data.batch * data.length) return split_among(0, data.batch);
    if (dims.size() == 1) continue;
    if (dims[0] == data.batch && counts_samples(id, 0)) {
      // Dimensions of one stand for axes that an export keeps: [b,1,s,h].
      size_t dim = 1;
      while (dim + 1 < dims.size() && dims[dim] == 1) ++dim;
      return split_among(dim, 1);
    }
    if (dims[1] == data.batch && counts_samples(id, 1)) return split_among(0, 1);
  }
  return Layout::whole();
}

}  // namespace foreflow::transform
