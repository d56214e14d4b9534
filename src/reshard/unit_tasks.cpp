#include "foreflow/reshard/unit_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"

namespace foreflow::reshard {
namespace {

const Tile& tile(const Tiling& tiling, int index) { return nth(tiling.tiles, index); }

// Along one dimension, the indices of the source tiles that meet a target range. Tiles of a dimension are equal except
// the last one.
Range meeting(const Range& target, const Range& first_tile) {
  const int64_t step = first_tile.length();
  return {target.begin / step, (target.end - 1) / step + 1};
}

// The source tiles that meet a target tile, in ascending order.
std::vector<int> meeting(const Tiling& from, const Box& target) {
  std::vector<int> found = {0};
  for (size_t dim = 0; dim < target.size(); ++dim) {
    const Range along = meeting(target[dim], from.tiles.front().box[dim]);
    std::vector<int> longer;
    for (const int prefix : found) {
      for (int64_t i = along.begin; i < along.end; ++i) longer.push_back(prefix * from.grid[dim] + static_cast<int>(i));
    }
    found = std::move(longer);
  }
  return found;
}

void check_layout(const Layout& layout, size_t rank, const std::string& where) {
  check(layout.spec, layout.mesh.shape, rank, where);
  FOREFLOW_CHECK(static_cast<int>(layout.mesh.devices.size()) == size(layout.mesh.shape),
                 "a mesh has as many devices as its shape says");
  const std::set<int> distinct(layout.mesh.devices.begin(), layout.mesh.devices.end());
  if (distinct.size() != layout.mesh.devices.size()) throw Error(where, "the mesh lists a device twice");
}

}  // namespace

void check(const Move& move, const std::string& where) {
  for (const int64_t extent : move.tensor.shape) {
    if (extent < 1) throw Error(where, fmt::format("an extent of {} is not possible; use positive ones", extent));
  }
  check_layout(move.from, move.tensor.shape.size(), where);
  check_layout(move.to, move.tensor.shape.size(), where);
}

Box UnitTasks::box(const UnitTask& task) const {
  const auto move = static_cast<size_t>(task.move);
  return intersection(tile(from[move], task.source).box, tile(to[move], task.target).box);
}

const std::vector<int>& UnitTasks::holders(const UnitTask& task) const {
  return tile(nth(from, task.move), task.source).devices;
}

std::vector<int> UnitTasks::receivers(const UnitTask& task) const {
  const std::vector<int>& have = holders(task);
  std::vector<int> need        = tile(nth(to, task.move), task.target).devices;
  const auto has               = [&](int device) { return std::find(have.begin(), have.end(), device) != have.end(); };
  need.erase(std::remove_if(need.begin(), need.end(), has), need.end());
  return need;
}

Bytes bytes_of(const Tensor& tensor, double elements) { return Bytes(std::ceil(elements * tensor.element.value())); }

UnitTasks unit_tasks(std::vector<Move> moves) {
  UnitTasks result;
  for (size_t i = 0; i < moves.size(); ++i) {
    const Move& move = moves[i];
    result.from.push_back(tiles(move.tensor.shape, move.from.mesh, move.from.spec));
    result.to.push_back(tiles(move.tensor.shape, move.to.mesh, move.to.spec));
    const Tiling& from = result.from.back();
    const Tiling& to   = result.to.back();
    for (size_t target = 0; target < to.tiles.size(); ++target) {
      for (const int source : meeting(from, to.tiles[target].box)) {
        const int64_t elements = volume(intersection(tile(from, source).box, to.tiles[target].box));
        result.tasks.push_back({static_cast<int>(i), source, static_cast<int>(target),
                                bytes_of(move.tensor, static_cast<double>(elements))});
      }
    }
  }
  result.moves = std::move(moves);
  return result;
}

}  // namespace foreflow::reshard
