// Tori of two and three dimensions: a switch for each node, joined to its neighbours and around.
#pragma once

#include <array>

#include "platform/fabrics/switches.h"

namespace foreflow::platform {

struct TorusSettings {
  std::array<int, 3> dims                     = {1, 1, 1};
  int cable_nics                              = 1;  // how many NICs a cable to a neighbour is as wide as
  bool operator==(const TorusSettings&) const = default;
};

TorusSettings read_torus(const JsonView& json, const Outlets& outlets, int dimensions);
Fabric build_torus(const TorusSettings& settings, const Outlets& outlets);
Keys torus_keys();

template <int kDimensions>
TorusSettings read_torus_of(const JsonView& json, const Outlets& outlets) {
  return read_torus(json, outlets, kDimensions);
}

}  // namespace foreflow::platform
