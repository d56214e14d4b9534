// Splits a distributed program into one program for each process, with the communications that the process takes part
// in. Pure; starts no processes and knows no time.
#pragma once

#include <string>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::execute {

// Instead of a process: the value is on no device, so every process has it.
constexpr int kEverywhere = -1;

// One execution of a communication op. Processes are numbered from 0 in the order of their devices.
struct CommunicationRun {
  int number = 0;            // position in the order of the whole program
  std::string op;            // "MPIAllreduce"
  ir::Type operand, result;  // types of one member, without a device
  std::vector<int> from;     // per operand: the process that has it, or kEverywhere
  std::vector<int> to;       // per result: the process that receives it

  // The processes in `from` and `to`, each once, ascending.
  std::vector<int> members() const;
};

struct RankProgram {
  ir::Device device;
  ir::Module module;                             // the projection onto the device; its last function is the entry
  std::vector<CommunicationRun> communications;  // those that the process takes part in, in program order
  std::vector<size_t> parameters, results;       // which parameters and results of the whole program its entry has
};

// The module with a single stream per device, because a process executes one op at a time, in program order.
ir::Module fold_streams(const ir::Module& module);

// One program for each device of the last function of `module`. `arguments` determine shapes, also those that depend on
// values; without any the annotated types of the parameters do. Requires: one stream per device (fold_streams). Throws
// Error, naming the op, when an operand or result of a communication
//   1. has an unknown shape;
//   2. is on several devices at once;
//   3. is on no device where the op needs one.
std::vector<RankProgram> plan(const ir::Module& module, const std::vector<ir::Array>& arguments);

}  // namespace foreflow::execute
