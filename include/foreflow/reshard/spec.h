// Sharding specs: how each dimension of a tensor is split over the dimensions of a mesh (GSPMD, Xu et al. 2021).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/reshard/mesh.h"

namespace foreflow::reshard {

// split[i] has the mesh dimensions over which dimension i of the tensor is split, the major one first; empty: every
// device has the whole dimension. On a 2x4 mesh, dimension i of "S01" has 8 parts and the device at (r, c) has part
// 4 r + c; of "S10" it has part 2 c + r.
struct Spec {
  std::vector<std::vector<int>> split;
};

// Reads "S0RR", "RS01R" or "S^{01}RR": one letter for each dimension of the tensor. Throws Error at `where` when it is
// something else or uses a mesh dimension twice.
Spec parse_spec(std::string_view text, const std::string& where);
std::string print(const Spec& spec);  // "RS01R"

// Throws Error at `where` unless the spec is of a tensor of `rank` dimensions on a mesh of this shape.
void check(const Spec& spec, const std::vector<int>& mesh_shape, size_t rank, const std::string& where);

// The number of parts of each dimension of the tensor.
std::vector<int> parts(const Spec& spec, const std::vector<int>& mesh_shape);

}  // namespace foreflow::reshard
