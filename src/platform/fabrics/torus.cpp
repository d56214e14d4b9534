#include "platform/fabrics/torus.h"

#include <fmt/core.h>

#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "platform/link_text.h"
#include "platform/parameters.h"

namespace foreflow::platform {
namespace {

// The sides of the most nearly square (or cubic) torus that has a switch for each node and none more: 32 nodes are 4 x
// 8, a prime number of nodes is a ring.
std::array<int, 3> fitted_dims(int nodes, int dimensions) {
  std::array<int, 3> dims = {1, 1, 1};
  for (int left = dimensions; left > 1; --left) {
    int side         = 1;
    const auto small = [&](int64_t n) { return (left == 3 ? n * n * n : n * n) <= nodes; };
    for (int n = 1; small(n); ++n) {
      if (nodes % n == 0) side = n;
    }
    nth(dims, dimensions - left) = side;
    nodes /= side;
  }
  nth(dims, dimensions - 1) = nodes;
  return dims;
}

int64_t size_of(const std::array<int, 3>& dims) { return int64_t{dims[0]} * dims[1] * dims[2]; }

std::array<int, 3> parse_dims(const JsonView& value, int dimensions) {
  const std::string& text              = value.as_string();
  const std::vector<std::string> words = split(text, 'x');
  std::array<int, 3> dims              = {1, 1, 1};
  bool good                            = words.size() == static_cast<size_t>(dimensions);
  for (size_t i = 0; good && i < words.size(); ++i) {
    dims[i] = parse_number<int>(words[i]).value_or(0);
    good    = dims[i] >= 1 && dims[i] <= kMostPorts;
  }
  if (!good) {
    value.fail(fmt::format("\"{}\" is no size of {} dimensions; write \"{}\"", text, dimensions,
                           dimensions == 2 ? "8x8" : "4x4x4"));
  }
  return dims;
}

}  // namespace

Keys torus_keys() {
  return {
      {"dims", "such as \"8x8\" or \"4x4x4\"; by default the most nearly square that has a switch for each node",
       types::text("sides such as \"8x8\"")},
      count_key("cable_nics",
                "how many NICs a cable to a neighbour is as wide as: 1 by default, nics_per_node for all together")};
}

TorusSettings read_torus(const JsonView& json, const Outlets& outlets, int dimensions) {
  TorusSettings settings;
  settings.dims       = fitted_dims(outlets.nodes, dimensions);
  settings.cable_nics = whole_or(json, "cable_nics", 1, 1, outlets.most_of_node);
  if (!json.has("dims")) return settings;
  const JsonView value = json.at("dims");
  settings.dims        = parse_dims(value, dimensions);
  const double size    = 1.0 * settings.dims[0] * settings.dims[1] * settings.dims[2];
  if (size > kMostPorts) value.fail(fmt::format("{} switches are too many; use at most {}", size, kMostPorts));
  if (size < outlets.nodes)
    value.fail(fmt::format("{} switches are too few for {} nodes; use more", size, outlets.nodes));
  return settings;
}

Fabric build_torus(const TorusSettings& settings, const Outlets& outlets) {
  const auto [x, y, z] = settings.dims;
  const int size       = static_cast<int>(size_of(settings.dims));
  Fabric fabric;
  Port cable = widened(outlets.cable, settings.cable_nics);
  if (outlets.torus_cable.value() > 0) cable.bandwidth = settings.cable_nics * outlets.torus_cable;
  fabric.notes = {
      fmt::format("{} x {} x {} switches, one for each node; cables of {}", x, y, z, to_text(cable.bandwidth))};
  for (int i = 0; i < size; ++i) add_switch(fabric, fmt::format("switch{}", i));
  for (const Outlet& outlet : outlets.all) fabric.plugs.push_back(outlet.node);
  int stride = 1;
  for (const int side : {z, y, x}) {
    for (int i = 0; i < size; ++i) {
      const bool last = i / stride % side == side - 1;
      if (last && side <= 2) continue;  // two switches are joined once
      connect(fabric, i, last ? i - (side - 1) * stride : i + stride, cable);
    }
    stride *= side;
  }
  const auto cut        = [&](int side) { return (side > 2 ? 2.0 : 1.0) * size / side * cable.bandwidth; };
  fabric.bisection      = cut(x > 1 ? x : y > 1 ? y : z);  // the side that the halves part
  fabric.narrowest      = cut(std::max({x, y, z}));
  fabric.next_node      = cable.bandwidth;
  fabric.built_switches = size;
  fabric.built_cables   = static_cast<int64_t>(fabric.trunks.size()) * settings.cable_nics;
  return fabric;
}

}  // namespace foreflow::platform
