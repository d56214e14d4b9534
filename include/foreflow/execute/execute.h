// Executes a distributed program under Open MPI on this machine and measures it: one process per device, the reference
// kernels, and real messages.
#pragma once

#include <string>
#include <vector>

#include "foreflow/cost/measurement.h"
#include "foreflow/ir/module.h"

namespace foreflow::execute {

// A run of the last function of `module`. Only run_mpi and the reference executor read the arguments; they may be left
// out for all else, which takes the annotated types of the parameters then. Those of a model of 1.5 billion parameters
// that is trained take 21 GB.
struct Task {
  ir::Module module;
  std::vector<ir::Array> arguments;
};

struct Options {
  int iterations = 1;          // timed iterations
  int warmup     = 0;          // untimed iterations before them
  Seconds timeout{300};        // longest time that a process waits for another
  std::string rank_program{};  // the path of foreflow-rank
};

// Times of one process; each is a median over the iterations.
struct RankTimes {
  std::string device;                    // "D1"
  Seconds compute, communication, wait;  // wait: until the other members of a communication arrive
};

// One activity of one process. `start` and `end` count from the start of its iteration.
struct Span {
  int rank = 0;
  std::string what;  // the signature of a compute (cost/signature.h) or of a message
  bool communicates = false;
  Seconds start, end;
};

struct Execution {
  std::vector<ir::Array> results;   // results of the function in the last iteration; run_mpi only
  std::vector<Seconds> iterations;  // of each iteration, the time of the slowest process
  std::vector<RankTimes> ranks;
  std::vector<cost::Measurement> measurements;  // of computes, by process and signature; then of messages
  std::vector<Span> timeline;                   // of the last iteration, by process and start; run_pytorch only
  // How much executions of one compute differ: their standard deviation over their mean, weighted by time; run_pytorch
  // only.
  double spread = 0;
};

// Runs the tasks one after the other in a single mpirun, with as many processes as the largest task needs. Throws Error
// when
//   1. an op fails, naming the process, the function and the op;
//   2. a process waits for another longer than `timeout`;
//   3. mpirun or foreflow-rank is not installed.
// In every case all processes have ended when it returns.
std::vector<Execution> run_mpi(const std::vector<Task>& tasks, const Options& options);

// The path of foreflow-rank: beside this program, or in libexec of the installation. Throws Error when it is in neither
// place.
std::string find_rank_program();

}  // namespace foreflow::execute
