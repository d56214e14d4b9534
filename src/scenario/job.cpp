#include "scenario/job.h"

#include <fmt/core.h>

#include <algorithm>

#include "foreflow/platform/cpu.h"

namespace foreflow::scenario {

Flops hardware_flops(const stream::CompactProgram& program, const std::vector<int64_t>& counts) {
  Flops total;
  for (size_t e = 0; e < counts.size(); ++e) total += static_cast<double>(counts[e]) * program.computes[e].flops;
  return total;
}

Provenance provenance_of(const lower::Lowered& lowered, const std::vector<int64_t>& counts) {
  Provenance seconds{};
  for (size_t e = 0; e < counts.size(); ++e) {
    for (size_t p = 0; p < seconds.size(); ++p) seconds[p] += static_cast<double>(counts[e]) * lowered.provenance[e][p];
  }
  return seconds;
}

Json shares_of(const Provenance& seconds) {
  Seconds total;
  for (const Seconds part : seconds) total += part;
  Json shares = Json::object();
  for (size_t p = 0; p < seconds.size(); ++p) {
    shares.set(cost::name(static_cast<cost::Provenance>(p)), total > Seconds(0) ? seconds[p] / total : 0.0);
  }
  return shares;
}

void add_once(std::vector<std::string>& sentences, const std::string& sentence) {
  if (!sentence.empty() && std::find(sentences.begin(), sentences.end(), sentence) == sentences.end())
    sentences.push_back(sentence);
}

namespace {

// Returns the assumption about the time that the host of the device takes; empty if there is none.
std::string assumption_of_host(const lower::HostCosts& host, const platform::Device& device) {
  if (!host.any() || host.cpu.rating <= 0 || device.cpu == host.cpu) return {};
  if (device.cpu.rating <= 0) {
    return fmt::format("hosts of {}: of an unknown CPU, as fast as {}; platform.cpu says which it is", device.kind,
                       host.cpu.name);
  }
  return fmt::format("hosts of {}: times of {} x {:.2f}, the ratio of its single-thread rating to that of {}",
                     device.kind, host.cpu.name, platform::time_ratio(device.cpu, host.cpu), device.cpu.name);
}

}  // namespace

std::vector<std::string> assumptions(const cost::CostModel& cost, const lower::HostCosts& host,
                                     const platform::Platform& platform) {
  std::vector<std::string> all;
  for (const platform::Device& device : platform.devices().kinds()) {
    if (cost.assumption != nullptr) add_once(all, cost.assumption(device));
    add_once(all, assumption_of_host(host, device));
  }
  return all;
}

namespace {

// The mean of the errors by provenance, weighted by their shares; of the worst kind of device.
double error_of(const cost::CostModel& cost, const platform::Platform& platform, const Provenance& seconds) {
  double worst = 0;
  if (cost.error == nullptr) return worst;
  for (const platform::Device& device : platform.devices().kinds()) {
    Seconds all;
    double sum = 0;
    for (size_t p = 0; p < seconds.size(); ++p) {
      all += seconds[p];
      if (seconds[p] > Seconds(0)) sum += seconds[p].value() * cost.error(static_cast<cost::Provenance>(p), device);
    }
    if (all > Seconds(0)) worst = std::max(worst, sum / all.value());
  }
  return worst;
}

// All-reduces from 1 MiB among A100 of one server: with the algorithm that is best on the platform's links, and with
// that and the protocol of a communication library (docs/design/collective.md).
double message_error(const Scenario& scenario) {
  constexpr double kByLinks = 0.41, kByLibrary = 0.18;
  return scenario.stated.has("collective.library") ? kByLibrary : kByLinks;
}

// The type whose peak the summary compares with: that of the units which multiply.
std::string_view units_of(const Workload& workload, const Sequential& sequential) {
  if (workload.fp8) return "f8";
  return workload.tf32 ? "tf32" : ir::short_name(workload.dtype.value_or(sequential.dtype));
}

}  // namespace

report::Job describe(const Scenario& scenario, const Sequential& sequential, const lower::Lowered& lowered,
                     const platform::Platform& platform, const std::vector<int64_t>& counts) {
  report::Job job;
  job.name        = scenario.name;
  job.engine      = scenario.engine->name;
  job.samples     = static_cast<double>(sequential.samples);
  job.tokens      = static_cast<double>(sequential.samples * sequential.tokens_per_sample);
  job.parameters  = sequential.parameters;
  job.model_flops = sequential.model_flops;
  // A ring leaves out blocks that are hidden as a whole, and fused ops some of the arithmetic of a softmax.
  job.hardware_flops  = std::max(job.model_flops, hardware_flops(lowered.compact, counts));
  job.dtype           = units_of(scenario.workload, sequential);
  job.training        = scenario.workload.trains();
  job.placement       = describe(scenario.placement);
  job.allocator       = scenario.allocator;
  job.scenario_echo   = scenario.source;
  job.cost_provenance = shares_of(provenance_of(lowered, counts));
  job.assumed         = assumptions(scenario.cost, scenario.collectives.host, platform);
  job.compute_error   = error_of(scenario.cost, platform, provenance_of(lowered, counts));
  job.message_error   = message_error(scenario);
  return job;
}

}  // namespace foreflow::scenario
