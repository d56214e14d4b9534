// How a tensor lies on a mesh of devices, as the op Reshard states it: the shape of the mesh and a sharding spec.
#pragma once

#include "ops/common/op.h"

namespace foreflow::ops {

// Attributes `NAME_mesh`, the lengths of the mesh along its dimensions, and `NAME_spec`, one letter for each dimension
// of the tensor: R where every device has it whole, and S with the numbers of the mesh dimensions over which it is
// split, the major one first. On the mesh [2, 4], "S01R" splits rows into 8 parts, and device (r, c) has part 4 r + c.
// Devices are counted in row-major order of the mesh. "S^0" and "S^{01}" are read as "S0" and "S01".
class MeshLayout {
 public:
  // Fails unless the attributes are of a tensor of `rank` dimensions.
  MeshLayout(const OpCall& call, const std::string& name, size_t rank);

  size_t devices() const { return devices_; }
  // The number of devices that have the same part as one device: 1 where every device has a part of its own.
  size_t replicas() const;
  int64_t parts(size_t dim) const;
  // The part of a dimension that a device has, counted from 0.
  int64_t part_of(size_t device, size_t dim) const;

  // The dimensions of the tensor whose parts are `part`, and the other way round; unknown ones stay unknown. Fails
  // where a dimension is no multiple of its parts.
  Dims whole(const OpCall& call, Dims part) const;
  Dims part(const OpCall& call, Dims whole) const;
  // The devices that have the same part, device by device of those that have the parts in turn.
  std::vector<std::vector<size_t>> holders(size_t rank) const;

 private:
  std::vector<int64_t> mesh_;
  std::vector<std::vector<size_t>> split_;  // per dimension of the tensor: mesh dimensions
  size_t devices_ = 1;
};

}  // namespace foreflow::ops
