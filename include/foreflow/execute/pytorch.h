// Executes a distributed program with PyTorch on this machine and measures it: the script of lower/pytorch.h, one
// process per device, Gloo between CPUs or NCCL between GPUs.
#pragma once

#include <optional>
#include <string>

#include "foreflow/execute/execute.h"

namespace foreflow::execute {

// The first of $FOREFLOW_PYTHON, /usr/bin/python3 and python3 that can import torch; nothing when none can.
std::optional<std::string> find_pytorch();

// What is measured beside whole iterations. Timing every op makes each about a microsecond longer, and on GPUs waits
// for it.
enum class Detail : uint8_t { iterations, ops };

// Runs the task with the Python program `python`. Parameters have random values, whatever the task's arguments are, so
// the Execution has no results. A communication takes the time of its last member to arrive, which has nobody to wait
// for: "the shorter of SEND and RECV" (Lu et al., DistSim, CF 2023, section 4.2); what the others take longer is their
// wait. Requires: one stream per device (fold_streams). Throws Error when the script fails, with the last line that it
// wrote.
Execution run_pytorch(const Task& task, const Options& options, const std::string& python, Detail detail);

}  // namespace foreflow::execute
