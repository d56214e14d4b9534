// Runs a distributed program for real: one process a device, under Open MPI on this machine, with the reference kernels
// and real messages, and times what they do.
#pragma once

#include <string>
#include <vector>

#include "foreflow/cost/measurement.h"
#include "foreflow/ir/module.h"

namespace foreflow::execute {

// The last function of `module` on these numbers.
struct Task {
  ir::Module module;
  std::vector<ir::Array> arguments;
};

struct Options {
  int iterations = 1;          // timed
  int warmup     = 0;          // before them
  Seconds timeout{300};        // how long a process may wait for another
  std::string rank_program{};  // the path of foreflow-rank
};

// Of one process, the median iteration of each figure.
struct RankTimes {
  std::string device;                    // "D1"
  Seconds compute, communication, wait;  // wait: for other members of a communication to arrive
};

struct Execution {
  std::vector<ir::Array> results;   // of the function, in order; those of the last iteration
  std::vector<Seconds> iterations;  // of each, the time of the slowest process
  std::vector<RankTimes> ranks;
  std::vector<cost::Measurement> measurements;  // by process and signature; then messages
};

// Runs one task after the other in one start of mpirun, with as many processes as the largest needs. Throws Error: of a
// process, naming it, the function and the op; of a process that waits for another longer than it may; where mpirun or
// foreflow-rank is missing. No process is left behind.
std::vector<Execution> run_mpi(const std::vector<Task>& tasks, const Options& options);

// The path of foreflow-rank: beside this program, or in libexec as installed. Throws Error when it is at neither.
std::string find_rank_program();

}  // namespace foreflow::execute
