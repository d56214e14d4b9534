// Distances in the core, found once for each destination that is asked for, as far out as is asked for.
#pragma once

#include <memory>
#include <vector>

#include "platform/routes/shortest.h"

namespace foreflow::platform {

// The core of a platform of 16,384 GPUs has some thousand switches. Most programs talk to few of its leaves, some to
// all; computing all distances beforehand would cost more than loading the platform. What is remembered never changes
// an answer. Not for several threads.
class CoreDistances {
 public:
  // `network` must outlive this.
  explicit CoreDistances(const Network& network) : network_(network), known_(static_cast<size_t>(network.size())) {}
  CoreDistances(const CoreDistances&)            = delete;
  CoreDistances& operator=(const CoreDistances&) = delete;

  // To `target`, sure up to `from` (shortest.h); valid until the next call.
  const std::vector<Cost>& costs(int target, int from) const;

 private:
  const Network& network_;
  mutable std::vector<std::unique_ptr<CostsTo>> known_;  // by target
  mutable size_t held_ = 0;                              // costs in known_
};

}  // namespace foreflow::platform
