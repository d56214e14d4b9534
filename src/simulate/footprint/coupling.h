// Rings that are simulated hop by hop (Options::coupling), so that a slow hop delays only those that depend on it.
#pragma once

#include <functional>
#include <vector>

#include "foreflow/simulate/options.h"
#include "simulate/footprint/footprint.h"

namespace foreflow::simulate {

// Who executes the example of a footprint.
struct Execution {
  const stream::Communication* communication;
  std::vector<int32_t> streams;  // ascending; the same numbers as those of other examples of the program
  std::vector<int> places;       // by rank: the platform device
};
using ExecutionOf = std::function<Execution(int32_t example)>;

// Replaces phases of `footprints` that are rings by relays, in which every hop is a flow of its own. Which phases:
//   1. `credit`, `stepwise`: every phase that is a set of rings.
//   2. `automatic`: a phase that is a single ring, if (a) the ring is uneven or crosses a link in `changing`, and (b)
//      it crosses a link that a communication of other streams may use at the same time. It becomes a `credit` relay.
//   3. `coupled`: none.
// A phase is a set of rings if all its messages have one size and either each of its ranks sends and receives once (for
// example one ring in each node), or its messages are those of all channels of the group. The rings of a phase proceed
// independently, and the phase ends with the last of them.
void decouple_rings(Footprints& footprints, const ExecutionOf& execution_of, const platform::Platform& platform,
                    Coupling coupling, const std::vector<LinkTrace>& traces = {});

// The same for a program whose instances are the examples.
void decouple_rings(Footprints& footprints, const stream::Program& program, const platform::Platform& platform,
                    Coupling coupling, const std::vector<LinkTrace>& traces = {});

}  // namespace foreflow::simulate
