// Several programs on one platform as one program, so that an engine runs them together and they share its links.
#pragma once

#include <string>
#include <vector>

#include "foreflow/stream/timeline.h"

namespace foreflow::stream {

// The program repeated `iterations` (>= 1) times without a barrier: each stream begins its next iteration when it has
// finished the previous one. Memory that an iteration leaves is released when the next one begins.
Program repeated(const Program& program, int iterations);

// A program, its name, and when it starts (>= 0).
struct Tenant {
  std::string name;
  Program program;
  Seconds start;
};

// All tenants side by side, as the jobs of one program. Streams are named "TENANT/D1" and keep their order. Events of
// the first tenant come first, then those of the second, and so on.
struct Shared {
  Program program;
  // The first `waits` instances delay tenants that start late. Such an instance is a communication of fixed duration
  // among all streams of the tenant, which moves no bytes and lasts until the tenant's start.
  int32_t waits = 0;
};
Shared share(const std::vector<Tenant>& tenants);
// The same where only tenant `number` does anything. Devices and streams have the same numbers, by which an engine may
// draw what disturbs them.
Shared share_alone(const std::vector<Tenant>& tenants, size_t number);
// Returns true for what such an instance executes.
bool is_wait(const Communication& communication);

// Remove the waits again, so that the items of a late tenant begin at its start. Instances keep their numbers; those of
// waits lose their members.
Program without_waits(const Shared& shared);
Timeline without_waits(const Shared& shared, Timeline timeline);

// End of the last item of a job; 0 when the job has no items.
Seconds end_of(const Program& program, const Timeline& timeline, int32_t job);

}  // namespace foreflow::stream
