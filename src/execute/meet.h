// Executes a communication op between processes: which bytes are sent where, and how each process combines those that
// it receives. Sums and joins use the reference kernels in the order of the operands, so results equal those of the
// reference executor bit for bit.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "foreflow/execute/plan.h"

namespace foreflow::execute {

struct Outgoing {
  int rank;
  std::span<const std::byte> bytes;
};
struct Incoming {
  int rank;
  std::span<std::byte> bytes;
};

// Performs all sends and receives, and returns when all are complete. Messages between two processes keep their order.
// Throws Error when a partner does not take part in time.
using Exchange = std::function<void(std::span<const Outgoing>, std::span<const Incoming>)>;

// Returns when every member of the communication has called it. An op starts when all its devices are free and ends for
// all of them.
void rendezvous(const CommunicationRun& communication, int rank, const Exchange& exchange);

// `operands` has null where another process has the operand. The results of `rank` by their position; others are empty.
//
//   every op but the four below   each process with a result gets every operand and runs the op's kernel
//   MPIScatter                    the parts are cut at the root
//   MPIReduceScatter, MPIAlltoall each process cuts its operand into a part for each, and sums or joins what it gets
//   MPIAllreduce                  the same with equal runs of elements, which are then gathered: 2 (n - 1) / n of the
//   bytes
std::vector<ir::Array> meet(const ir::Op& op, const CommunicationRun& communication, int rank,
                            std::span<const ir::Array* const> operands, const Exchange& exchange);

}  // namespace foreflow::execute
