// What the host of a device needs to issue a program. All zero: nothing, as with a captured graph.
#pragma once

#include "foreflow/base/units.h"

namespace foreflow::lower {

struct HostCosts {
  Seconds kernel{};      // each kernel
  Seconds call{};        // each call of a function that does anything itself, such as a stage's pass
  Seconds collective{};  // each collective, and each hand-over to another stream of the device
  Seconds message{};     // each message, at either end
  // Each microbatch: a quarter where its data is embedded, a quarter where the loss is computed, and as much again in
  // the backward pass of each.
  Seconds microbatch{};
  Seconds step{};                                   // once an iteration, before the optimizer
  bool waits_for_messages                 = false;  // the host waits for the end of each message
  bool waits_for_gradients                = false;  // the host waits for all gradients before it issues the optimizer
  bool operator==(const HostCosts&) const = default;
  // False: nothing below asks for the host.
  bool any() const {
    return kernel + call + collective + message + microbatch + step > Seconds(0) || waits_for_messages ||
           waits_for_gradients;
  }
};

}  // namespace foreflow::lower
