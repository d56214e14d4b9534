// Several programs on one platform as one program, so that an engine runs them together and they share its links.
#pragma once

#include <string>
#include <vector>

#include "foreflow/stream/timeline.h"

namespace foreflow::stream {

// The program so many times (>= 1) after one another, without a barrier: a stream begins its next iteration when it has
// ended the one before. What an iteration leaves in memory is released when the next begins.
Program repeated(const Program& program, int iterations);

// A program, its name, and when it starts (>= 0).
struct Tenant {
  std::string name;
  Program program;
  Seconds start;
};

// All tenants side by side, jobs of the result. Streams are named "TENANT/D1" and keep their order; the events are
// those of the first tenant, then those of the second, and so on.
struct Shared {
  Program program;
  // So many first instances stand for late starts: all streams of a tenant meet there, for as long as it has not
  // started. Such a wait is a communication of fixed duration that moves nothing.
  int32_t waits = 0;
};
Shared share(const std::vector<Tenant>& tenants);

// Without the waits: the items of a late tenant then begin at its start. The instances keep their numbers; those of
// waits have no members.
Program without_waits(const Shared& shared);
Timeline without_waits(const Shared& shared, Timeline timeline);

// The end of the last item of a job, 0 when it has none.
Seconds end_of(const Program& program, const Timeline& timeline, int32_t job);

}  // namespace foreflow::stream
