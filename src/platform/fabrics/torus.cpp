#include "platform/fabrics/torus.h"

#include <fmt/core.h>

#include "foreflow/base/text.h"
#include "platform/parameters.h"

namespace foreflow::platform {
namespace {

// The nearly square (or cubic) torus that holds `nodes` nodes.
std::array<int, 3> fitted_dims(int nodes, int dimensions) {
  std::array<int, 3> dims = {1, 1, 1};
  for (int left = dimensions; left > 0; --left) {
    const int side                               = smallest_multiple(1, [&](int64_t n) {
      return (left == 3 ? n * n * n : left == 2 ? n * n : n) >= nodes;
    });
    dims[static_cast<size_t>(dimensions - left)] = side;
    nodes                                        = ceil_div(nodes, side);
  }
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

KeyDef torus_dims_key() {
  return {"dims", "such as \"8x8\" or \"4x4x4\"; near-square by default", types::text("sides such as \"8x8\"")};
}

TorusSettings read_torus(const JsonView& json, const Outlets& outlets, int dimensions) {
  TorusSettings settings;
  settings.dims = fitted_dims(outlets.nodes, dimensions);
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
  fabric.notes = {
      fmt::format("{} x {} x {} switches, one for each node; links as wide as {} NICs", x, y, z, outlets.most_of_node)};
  for (int i = 0; i < size; ++i) add_switch(fabric, fmt::format("switch{}", i));
  for (const Outlet& outlet : outlets.all) fabric.plugs.push_back(outlet.node);
  const Port cable = widened(outlets.cable, outlets.most_of_node);
  int stride       = 1;
  for (const int side : {z, y, x}) {
    for (int i = 0; i < size; ++i) {
      const bool last = i / stride % side == side - 1;
      if (last && side <= 2) continue;  // two switches are joined once
      connect(fabric, i, last ? i - (side - 1) * stride : i + stride, cable);
    }
    stride *= side;
  }
  return fabric;
}

}  // namespace foreflow::platform
