#include "foreflow/reshard/tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "foreflow/base/nth.h"

namespace foreflow::reshard {
namespace {

// The place of a device in each dimension of its mesh.
std::vector<int> coordinates(const std::vector<int>& shape, int position) {
  std::vector<int> result(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    result[axis] = position % shape[axis];
    position /= shape[axis];
  }
  return result;
}

// The part of a dimension that a device has: the mesh dimensions are digits of its number, the major one first.
int part_of(const std::vector<int>& axes, const std::vector<int>& shape, const std::vector<int>& coordinate) {
  int part = 0;
  for (const int axis : axes) {
    const auto a = static_cast<size_t>(axis);
    part         = part * shape[a] + coordinate[a];
  }
  return part;
}

int64_t step_of(int64_t extent, int parts) { return (extent + parts - 1) / parts; }

}  // namespace

int64_t volume(const Box& box) {
  int64_t elements = 1;
  for (const Range& range : box) elements *= range.length();
  return elements;
}

Box intersection(const Box& a, const Box& b) {
  Box result(a.size());
  for (size_t i = 0; i < a.size(); ++i) result[i] = {std::max(a[i].begin, b[i].begin), std::min(a[i].end, b[i].end)};
  return result;
}

std::string print(const Box& box) {
  std::string text;
  for (const Range& range : box) text += fmt::format("{}{}:{}", text.empty() ? "" : ", ", range.begin, range.end);
  return "[" + text + "]";
}

std::vector<Box> cut(const Box& box, int count) {
  std::vector<Box> result(static_cast<size_t>(count), box);
  if (box.empty()) return result;
  const auto longest = static_cast<size_t>(
      std::max_element(box.begin(), box.end(), [](const Range& a, const Range& b) { return a.length() < b.length(); }) -
      box.begin());
  const int64_t begin = box[longest].begin, length = box[longest].length();
  const auto edge = [&](int64_t i) { return begin + length / count * i + std::min(length % count, i); };
  for (int i = 0; i < count; ++i) nth(result, i)[longest] = {edge(i), edge(i + 1)};
  return result;
}

Tiling tiles(const std::vector<int64_t>& shape, const Mesh& mesh, const Spec& spec) {
  const std::vector<int> parts = reshard::parts(spec, mesh.shape);
  Tiling result;
  int count = 1;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    const int64_t step = step_of(shape[dim], parts[dim]);
    result.grid.push_back(static_cast<int>(step_of(shape[dim], static_cast<int>(std::min<int64_t>(step, shape[dim])))));
    count *= result.grid.back();
  }
  result.tiles.resize(static_cast<size_t>(count));
  for (size_t position = 0; position < mesh.devices.size(); ++position) {
    const auto coordinate = coordinates(mesh.shape, static_cast<int>(position));
    int tile              = 0;
    Box box;
    for (size_t dim = 0; dim < shape.size() && tile >= 0; ++dim) {
      const int part     = part_of(spec.split[dim], mesh.shape, coordinate);
      const int64_t step = step_of(shape[dim], parts[dim]);
      tile               = part < result.grid[dim] ? tile * result.grid[dim] + part : -1;
      box.push_back({part * step, std::min((part + 1) * step, shape[dim])});
    }
    result.tile_of.push_back(tile);
    if (tile < 0) continue;
    Tile& own = nth(result.tiles, tile);
    own.box   = std::move(box);
    own.devices.push_back(mesh.devices[position]);
  }
  return result;
}

}  // namespace foreflow::reshard
