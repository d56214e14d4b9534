// Reads the files of measurements for `foreflow calibrate`. Some of them may be traces of PyTorch's profiler.
#pragma once

#include <string>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/cost/measurement.h"

namespace foreflow::cli {

struct MeasuredFiles {
  std::vector<cost::Measurement> measurements;
  std::string text   = {};  // of the traces, for people; "": there are none
  std::string device = {};  // as the files call it, several as "A, B"; "": not known
  Json host =
      Json::object();  // of the traces: a scenario's "host"; empty: there are none, or they launch nothing twice
};

// Traces are those of the ranks of one run. Throws Error naming the file; for traces that do not belong together, both.
MeasuredFiles read_measured_files(const std::vector<std::string>& files);

}  // namespace foreflow::cli
