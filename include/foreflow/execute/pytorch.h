// Executes a distributed program with PyTorch on this machine and measures it: the script of lower/pytorch.h, one
// process per device, Gloo between CPUs or NCCL between GPUs.
#pragma once

#include <optional>
#include <string>

#include "foreflow/execute/execute.h"

namespace foreflow::execute {

// The first of $FOREFLOW_PYTHON, /usr/bin/python3 and python3 that can import torch; nothing when none can.
std::optional<std::string> find_pytorch();

// Three runs of one program, whose iterations took turns, so that a change of the speed of the machine affects all
// three.
struct InTurn {
  Execution whole;              // nothing timed but iterations; it has no measurements and no timeline
  Execution profile, detailed;  // every op timed, which makes it about a microsecond longer and on GPUs waits for it
};

// Runs the task with the Python program `python`, `options.iterations` times in each way. Parameters have random
// values that the script makes, so there are no results and the task needs no arguments. A communication takes the time
// of its last member to arrive, which has no peer to wait for: "the shorter of SEND and RECV" (Lu et al., DistSim, CF
// 2023, section 4.2); what the others take longer is their wait. Measurements have mean times, because many of them add
// up to an iteration; executions that took more than ten medians, in which the machine did something else, do not
// count. Requires: one stream per device (fold_streams). Throws Error when the script fails, with the last line that it
// wrote, or does not end within `options.timeout`.
InTurn run_pytorch(const Task& task, const Options& options, const std::string& python);

}  // namespace foreflow::execute
