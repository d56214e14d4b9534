// From the logs of a PyTorch program to the answers that processes of run_mpi give.
#pragma once

#include <vector>

#include "execute/assemble.h"
#include "execute/pytorch_log.h"

namespace foreflow::execute {

struct Answers {
  std::vector<Answer> answers;  // by rank; without results
  std::vector<Span> timeline;   // as Execution::timeline
  double spread = 0;            // as Execution::spread
};

// A communication takes the least time that any of its members spent in it, in each iteration; what the others spent
// beyond that is their wait. Times are means, as run_pytorch says. Requires: `programs` is what the script was written
// from. Logs without ops give answers without measurements.
Answers answers_of(const std::vector<ProcessLog>& logs, const Programs& programs);

}  // namespace foreflow::execute
