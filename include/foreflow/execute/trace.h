// Measurements from traces of PyTorch's profiler (Kineto: Chrome trace JSON, also compressed with gzip), as
// torch.profiler.profile(record_shapes=True) exports them.
//
//   host      aten::linear [ aten::addmm [ launch ] ]          aten::relu [ launch ]
//                                           \                              \.
//   device                                   [ gemm ][ split-K sum ]        [ kernel ]
//
//   1. a kernel belongs to the launch with its correlation number, and that to the ops that are open on its thread;
//   2. the innermost of them that stands for one of our ops, with the shapes of its operands, is what was measured, and
//      its time is that of all its kernels;
//   3. a kernel of NCCL is a message: its bytes and members are arguments of the kernel or of record_param_comms, or in
//      older traces the operand of the "nccl:..." range and the number of ranks of the run;
//   4. the time from one launch to the next on a thread is what the host takes for a kernel.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "foreflow/cost/measurement.h"

namespace foreflow::execute {

// The median time from one launch to the next, where the host waited for nothing in between.
struct HostTime {
  Seconds median;
  int64_t count = 0;  // 0: there was none
};

struct TraceMeasurements {
  std::vector<cost::Measurement> measurements;  // computes, then messages, each by signature
  HostTime kernel, gradient, collective;        // as the keys of a scenario's "host" have them
  Seconds all, matched;                         // of all kernels; of those that a measurement has
  std::map<std::string, Seconds> others;        // time of kernels without one, by the innermost op; "": none is known
  int ranks = 1;                                // how many traces
  int world = 0;                                // how many ranks the run has; 0: the traces do not say
  std::set<std::string> devices;                // their names, as far as the traces say them
};

// True for a name that ends as a trace does: .json or .json.gz.
bool is_trace(const std::string& file);

// Reads the traces of one run, a file for each rank. Members of a message wait for each other inside of its kernel, so
// the k-th message counts with the shortest time that a rank has; unless the files are those of all ranks, it includes
// how long these waited for the others. The text of one file at a time is in memory, uncompressed, and at most one and
// a half times as much for its ops and kernels.
// Throws Error naming the file, and the event in it, for what is no trace, and where nothing can be matched; and naming
// both files for a rank that is given twice, and for runs of different sizes or on different devices, as far as traces
// state their ranks.
TraceMeasurements read_traces(const std::vector<std::string>& files);

}  // namespace foreflow::execute
