// The rule of the streams, written once for both engines: given when each communication ends, everything else follows.
#pragma once

#include <cstddef>
#include <functional>

#include "foreflow/stream/timeline.h"

namespace foreflow::simulate {

// Records of all items. `end(instance, start)` is asked once for each instance, in their order; `start` is when its
// last member arrives. The links of the result are left to the engine.
stream::Timeline replay(const stream::Program& program,
                        const std::function<Seconds(size_t instance, Seconds start)>& end);

}  // namespace foreflow::simulate
