// The device that does what a fragment has on no device, such as tables that depend on no parameter. Its computes, its
// memory and what its host issues are then one with those of the device.
#pragma once

#include <cstdint>

#include "foreflow/ir/type.h"

namespace foreflow::lower {

struct Home {
  int32_t device;  // by the fragment's own numbers

  ir::Device of(const ir::Device& stated) const { return stated.placed() ? stated : ir::Device(device); }
};

}  // namespace foreflow::lower
