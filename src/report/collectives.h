// Bandwidths of the communications of a timeline, and the time lost to contention and to late members.
#pragma once

#include "foreflow/report/summary.h"

namespace foreflow::report {

// By instance: the time that its flows lost to contention.
std::vector<Seconds> contention_by_instance(const stream::Program& program, const stream::Timeline& timeline);

// "MPIAllreduce", and "JOB/MPIAllreduce" where several jobs share the platform.
std::string name_of(const stream::Program& program, const stream::Instance& instance);

// Says, as a sentence for people, which messages were measured, but not on as many nodes as they are on here. "": none.
std::string measured_elsewhere(const stream::Program& program);

// Largest time first, without communications that take no time.
std::vector<CollectiveSummary> summarise_collectives(const stream::Program& program, const stream::Timeline& timeline,
                                                     const std::vector<Seconds>& contention);

}  // namespace foreflow::report
