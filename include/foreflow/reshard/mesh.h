// Device meshes: devices arranged as an n-dimensional array, along whose dimensions tensors are split.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace foreflow::reshard {

// A device is a number to which the caller gives a meaning: an index into platform::Platform::devices(), or the number
// of a DistIR device (D3 -> 3). Nothing in this module computes with it.
struct Mesh {
  std::vector<int> shape;    // {2, 4}: two rows of four devices; usually a row is a host
  std::vector<int> devices;  // in row-major order of the mesh, each once
};

// A mesh of the devices first, first + 1, ...
Mesh consecutive(std::vector<int> shape, int first);

// The product of the shape.
int size(const std::vector<int>& shape);

// Reads "2x4". Throws Error at `where` unless it is a list of positive numbers whose product is below 2^31.
std::vector<int> parse_shape(std::string_view text, const std::string& where);
std::string print(const std::vector<int>& shape);

}  // namespace foreflow::reshard
