// Bandwidths of the communications of a timeline, and the time lost to contention and to late members.
#pragma once

#include "foreflow/report/summary.h"

namespace foreflow::report {

// By instance: the time that its flows lost to contention.
std::vector<Seconds> contention_by_instance(const stream::Program& program, const stream::Timeline& timeline);

// "MPIAllreduce", and "JOB/MPIAllreduce" where several jobs share the platform.
std::string name_of(const stream::Program& program, const stream::Instance& instance);

// Largest time first, without communications that take no time.
std::vector<CollectiveSummary> summarise_collectives(const stream::Program& program, const stream::Timeline& timeline,
                                                     const std::vector<Seconds>& contention);

}  // namespace foreflow::report
