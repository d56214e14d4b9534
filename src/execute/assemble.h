// From what the processes of a task measured, each for itself, to the Execution.
#pragma once

#include <vector>

#include "execute/job.h"
#include "foreflow/execute/execute.h"

namespace foreflow::execute {

using Programs = std::vector<RankProgram>;  // of one task, by rank

// The measurement of a communication, without times.
cost::Measurement message_of(const CommunicationRun& communication);

// `answers` has one answer for each program. A message takes as long as its slowest member, and messages with the same
// first member and signature share a row.
Execution assemble(const Task& task, const Programs& programs, const std::vector<Answer>& answers);

}  // namespace foreflow::execute
