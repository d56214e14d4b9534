#include <fmt/core.h>

#include <algorithm>

#include "cost/parameters.h"
#include "foreflow/cost/cost.h"

namespace foreflow::cost::definitions::roofline {
namespace {

// Attainable shares of the data-sheet peaks. Compute: 271.2 of 312 TFLOP/s, the best bf16 product measured on an A100
// SXM (stas00/ml-engineering, MAMF finder). Memory: 739 of 900 GB/s, the bandwidth that Habitat measured on a V100.
constexpr double kComputeEfficiency = 271.2 / 312;
constexpr double kMemoryEfficiency  = 739.0 / 900;

const Keys& keys() {
  static const Keys all = {{"compute_efficiency", "share of the peak arithmetic that is reached", types::positive(1),
                            fmt::format("{:.3g}", kComputeEfficiency)},
                           {"memory_efficiency", "share of the memory bandwidth that is reached", types::positive(1),
                            fmt::format("{:.3g}", kMemoryEfficiency)}};
  return all;
}

double efficiency(const JsonView& parameters, const char* key, double fallback) {
  if (!parameters.has(key)) return fallback;
  const double value = parameters.at(key).as_number();
  if (!(value > 0 && value <= 1)) parameters.at(key).fail("must be above 0 and at most 1");
  constexpr double kLeast = 1e-12;  // times stay finite numbers
  if (value < kLeast) parameters.at(key).fail("is too small for a share of a peak; write one such as 0.5");
  return value;
}

std::string_view compute_dtype(const Application& application) {
  for (const ir::Type& input : application.call.inputs) {
    if (input.is_tensor() && ir::is_float(input.dtype)) return ir::short_name(input.dtype);
  }
  return "f32";
}

// Williams, Waterman, Patterson 2009: an op takes the longer of its arithmetic at peak and its traffic at full memory
// bandwidth, plus a launch for each kernel.
Seconds roofline_time(const Application& application, const platform::Device& device, double compute, double memory) {
  const ir::Work work = application.call.def.work(application.call, application.outputs);
  if (work.kernels == 0) return Seconds(0);
  const Seconds arithmetic = work.flops / (device.peak(compute_dtype(application)) * compute);
  const Seconds traffic    = (work.read + work.written) / (device.memory_bandwidth * memory);
  return std::max(arithmetic, traffic) + work.kernels * device.launch;
}

CostModel make(const JsonView& parameters) {
  allow_only(parameters, keys());
  const double compute = efficiency(parameters, "compute_efficiency", kComputeEfficiency);
  const double memory  = efficiency(parameters, "memory_efficiency", kMemoryEfficiency);
  CostModel model;
  model.name    = "roofline";
  model.compute = [=](const Application& application, const platform::Device& device) {
    return Price{application.on_host ? Seconds(0) : roofline_time(application, device, compute, memory),
                 Provenance::roofline};
  };
  model.communication = [](const Application&, int) { return std::optional<Seconds>(); };
  return model;
}

}  // namespace

CostModelDef row() {
  return {"roofline",
          "max(flops / peak, bytes / memory bandwidth) + launch, from the device's data sheet; messages are simulated",
          keys(), make};
}

}  // namespace foreflow::cost::definitions::roofline
