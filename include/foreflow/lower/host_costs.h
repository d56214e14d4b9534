// The time that the host of a device takes to issue the work of the device. All zero: none, as with a captured graph.
// A host with another CPU than `cpu` takes platform::time_ratio times as long.
#pragma once

#include "foreflow/base/units.h"
#include "foreflow/platform/platform.h"

namespace foreflow::lower {

struct HostCosts {
  Seconds kernel{};  // each kernel of the forward pass, and of what the backward pass computes again of it
  // Each kernel that depends on the gradient of the loss: autograd issues it without Python.
  Seconds gradient{};
  Seconds accumulation{};  // instead, each that adds the gradient of a microbatch to the sum of those before
  Seconds call{};          // each pass of a stage over a microbatch, forward or backward
  Seconds collective{};    // each collective, and each hand-over to another stream of the device
  Seconds message{};       // each message, at either end
  // Each microbatch: a quarter before the forward pass of the first stage, one before that of the last stage, and one
  // before the backward pass of either (ir/pipeline_ends.h). A microbatch that is not cut: a half before its first
  // kernel, a half before its backward pass.
  Seconds microbatch{};
  Seconds step{};                                   // once an iteration, before the optimizer
  platform::Cpu cpu{};                              // whose times these are; unknown: of any
  bool waits_for_messages                 = false;  // the host waits for the end of each message
  bool waits_for_gradients                = false;  // the host waits for all gradients before it issues the optimizer
  bool operator==(const HostCosts&) const = default;
  // False: everything is issued at no cost, and nothing waits.
  bool any() const {
    return kernel + gradient + accumulation + call + collective + message + microbatch + step > Seconds(0) ||
           waits_for_messages || waits_for_gradients;
  }
};

}  // namespace foreflow::lower
