// Published measurements, in the forms of their authors, as samples of laws.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cost/fit.h"

namespace foreflow::cost {

// Samples of one law: of one data type, or of one kind of collective.
struct DataSet {
  std::string law;  // "product"
  std::string of;   // "bf16", "bf16 in training"; "all_reduce", "all_reduce over 4" (links differ by number of ranks)
  std::string source;
  std::vector<Sample> samples;
  bool clock_only = false;  // the samples are few: they determine the constants of the clock (Use::clock)
};

// Reads a CSV file, whose first line says which form it has:
//   1. products: dtype,m,n,k,latency_ms, and those of DeepBench;
//   2. attention: batch_size,isl,num_heads,...;
//   3. collectives within a server: system,collective,gpus,..., and gpu,gpus,size_bytes,time_ns,...;
//   4. operators of a layer: time_stats.add.median and others; norms, softmax and GELU: throughput_Gelements_per_s;
//   5. kernels of training as shares of the peak: op,peak_tflops,shape,efficiency_fraction_of_peak;
//   6. kernels of training that calibration/profile.py measured: signature and others.
// Lines that begin with '#' are comments. Of a file with several devices, those rows whose first cell begins with
// `device`. `name` is the path, for errors. Throws Error when the form is unknown.
std::vector<DataSet> read_data_sets(std::string_view text, const std::string& name, const std::string& device);

}  // namespace foreflow::cost
