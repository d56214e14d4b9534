// Cross-mesh resharding as unit tasks: each moves one box of a tensor from any of the devices that have it to all of
// those that need it (Zhuang et al., "On Optimizing the Communication of Model Parallelism", MLSys 2023, section 2.2).
#pragma once

#include <string>
#include <vector>

#include "foreflow/base/units.h"
#include "foreflow/reshard/tiles.h"

namespace foreflow::reshard {

struct Tensor {
  std::string name;  // for people; may be empty
  std::vector<int64_t> shape;
  Bytes element;  // size of one element; of types of four bits half a byte
};

// The size of a message with `elements` elements of the tensor, rounded up to whole bytes.
Bytes bytes_of(const Tensor& tensor, double elements);

struct Layout {
  Mesh mesh;
  Spec spec;
};

// One tensor that is wanted in another layout. The meshes may share devices: what a device has, it keeps.
struct Move {
  Tensor tensor;
  Layout from, to;
};

// Throws Error at `where` unless both specs fit the tensor and their meshes and all extents are positive.
void check(const Move& move, const std::string& where);

// The part of a target tile that a source tile has: the intersection of their boxes.
struct UnitTask {
  int move;    // index into UnitTasks::moves
  int source;  // index into UnitTasks::from[move].tiles
  int target;  // index into UnitTasks::to[move].tiles
  Bytes bytes;
};

// All unit tasks of several moves: by move, then target tile, then source tile, as the public code numbers them. The
// boxes of one move are disjoint, and those of a target tile fill it.
struct UnitTasks {
  std::vector<Move> moves;
  std::vector<Tiling> from, to;  // by move
  std::vector<UnitTask> tasks;

  Box box(const UnitTask& task) const;
  // Devices that have the box before, and devices that need it and do not have it, in the order of their meshes. There
  // may be no receivers: all that need the box have it.
  const std::vector<int>& holders(const UnitTask& task) const;
  std::vector<int> receivers(const UnitTask& task) const;
};

// Requires checked moves.
UnitTasks unit_tasks(std::vector<Move> moves);

}  // namespace foreflow::reshard
