// The slices of a tensor that devices of a mesh hold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foreflow/reshard/spec.h"

namespace foreflow::reshard {

struct Range {
  int64_t begin, end;

  int64_t length() const { return end > begin ? end - begin : 0; }
  friend bool operator==(const Range&, const Range&) = default;
};

// A box of elements of a tensor: a range for each dimension.
using Box = std::vector<Range>;

int64_t volume(const Box& box);                // elements; those of a scalar are 1
Box intersection(const Box& a, const Box& b);  // of boxes of one tensor; empty ones have a volume of 0
std::string print(const Box& box);             // "[0:512, 0:1024]"

// Cuts a box into `count` boxes along its longest dimension, as evenly as possible; the last ones may be empty.
std::vector<Box> cut(const Box& box, int count);

// A distinct slice and the devices that hold it: its replicas.
struct Tile {
  Box box;
  std::vector<int> devices;  // in the order of the mesh
};

// A dimension of n elements in p parts: part i has the elements from i * ceil(n / p) on. As in GSPMD the last part that
// has elements may be smaller, and later parts have only padding, which no device needs: they have no tile.
//
// Example: 10 elements in 4 parts are 3, 3, 3 and 1; 5 elements in 4 parts are 2, 2, 1 and nothing.
struct Tiling {
  std::vector<int> grid;     // number of tiles along each dimension of the tensor
  std::vector<Tile> tiles;   // in row-major order of the grid
  std::vector<int> tile_of;  // of each device in the order of the mesh; -1: it holds only padding
};

// Requires a checked spec.
Tiling tiles(const std::vector<int64_t>& shape, const Mesh& mesh, const Spec& spec);

}  // namespace foreflow::reshard
