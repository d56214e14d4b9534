// The events of a trace that measurements are made of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/json.h"

namespace foreflow::execute {

// An op or a named range on a thread of the host; times in microseconds.
struct HostOp {
  int64_t thread;
  double start, end;
  std::string name;                        // "aten::addmm", "nccl:all_reduce"
  std::vector<std::vector<int64_t>> dims;  // of its inputs; empty: not recorded
  std::vector<std::string> types;          // "float", "c10::Half"
  std::vector<std::string> values;         // "Concrete Inputs": "True", "0.5"; empty: not recorded
};

// A call of the CUDA runtime.
struct RuntimeCall {
  int64_t thread;
  double start;
  int64_t correlation;
  bool launches;  // a kernel
  bool waits;     // for the device or a stream
};

// The facts about a message that a kernel or record_param_comms states. Without bytes they state nothing.
struct MessageFacts {
  std::string collective, dtype;  // "allreduce", "Float"
  double in = 0, out = 0;         // elements
  int ranks = 0;
};

struct TracedKernel {
  int64_t correlation;
  double start, duration;
  bool nccl;
  std::optional<MessageFacts> message;
  int64_t device;  // its number; -1: not recorded
};

struct TraceEvents {
  std::vector<HostOp> ops;
  std::vector<RuntimeCall> calls;
  std::vector<TracedKernel> kernels;
  // record_param_comms, by its place in `ops`.
  std::vector<std::pair<size_t, MessageFacts>> messages;
  int rank = 0, world = 1;  // from 0; how many ranks the run has
  bool in_run = false;      // the trace states both
  std::string device;       // that of the kernels, "Tesla V100-SXM2-16GB"; "": the trace does not say
};

// `text` is that of the file `name`. Throws Error naming the file and the event.
TraceEvents read_events(std::string_view text, const std::string& name);

}  // namespace foreflow::execute
