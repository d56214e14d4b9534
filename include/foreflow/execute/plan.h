// A distributed program as the processes run it: one program for each device, and who takes part in each of its
// messages. Pure; no processes, no time.
#pragma once

#include <string>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::execute {

// Every process has the value: it is on no device.
constexpr int kEverywhere = -1;

// One execution of a communication op. Processes are numbered from 0 in the order of their devices.
struct Meeting {
  int number = 0;            // in the order of the whole program
  std::string op;            // "MPIAllreduce"
  ir::Type operand, result;  // of one member, on no device
  std::vector<int> from;     // per operand: the process that has it
  std::vector<int> to;       // per result

  // Each once, ascending.
  std::vector<int> members() const;
};

struct RankProgram {
  ir::Device device;
  ir::Module module;                        // the projection onto the device; its last function is the entry
  std::vector<Meeting> meetings;            // those it takes part in, in the order in which its program comes to them
  std::vector<size_t> parameters, results;  // which of the whole program's its entry has
};

// The module with one stream a device: a process does one thing at a time, in the order of the program.
ir::Module fold_streams(const ir::Module& module);

// One program for each device of the last function of `module`, which has one stream a device. `arguments` say the
// shapes, and numbers where shapes depend on them. Throws Error naming the op where a message has an unknown shape, is
// on several devices at once, or lacks a device that it needs.
std::vector<RankProgram> plan(const ir::Module& module, const std::vector<ir::Array>& arguments);

}  // namespace foreflow::execute
