// Phases that the host of a device takes part in: copies between them, and work of the host itself.
#pragma once

#include <optional>

#include "foreflow/platform/host_routes.h"
#include "foreflow/platform/platform.h"
#include "foreflow/stream/host_copy.h"
#include "simulate/footprint/load_table.h"
#include "simulate/routes/changing.h"

namespace foreflow::simulate {

class HostPhases {
 public:
  // All arguments must outlive it.
  HostPhases(const platform::Platform& platform, const Changing& changing, LoadTable& loads)
      : platform_(platform), changing_(changing), loads_(loads) {}

  // A copy of `bytes` between the device at `place` and its host. Requires that it is one.
  Phase copy(stream::HostCopy copy, Bytes bytes, int place);

  // Returns true if hosts share a link of the kind `cores` for their work. Throws Error when there are several such
  // links.
  bool share_cores() { return cores() >= 0; }
  // Work that takes `alone` when it has the cores for itself. Requires that hosts share them.
  Phase work(Seconds alone, Bytes bytes);

 private:
  // The link whose bandwidth the work of hosts shares; -1: there is none.
  int cores();

  const platform::Platform& platform_;
  const Changing& changing_;
  LoadTable& loads_;
  std::optional<platform::HostRoutes> routes_;  // made when asked for
  std::optional<int> cores_;                    // as cores(), once it is known
};

}  // namespace foreflow::simulate
