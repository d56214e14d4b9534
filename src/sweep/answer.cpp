#include "sweep/answer.h"

#include <algorithm>

#include "foreflow/sweep/sweep.h"

namespace foreflow::sweep {
namespace {

using report::DeviceSummary;
using report::LinkSummary;
using report::Summary;

double mean(const Summary& summary, Seconds DeviceSummary::*time) {
  Seconds sum;
  for (const DeviceSummary& device : summary.devices) sum += device.*time;
  return summary.devices.empty() ? 0 : sum.value() / static_cast<double>(summary.devices.size());
}

double peak_memory(const Summary& summary) {
  Bytes peak;
  for (const DeviceSummary& device : summary.devices) peak = std::max(peak, device.peak_memory);
  return peak.value();
}

// The first of those that are busiest; a nameless idle one where nothing was sent.
LinkSummary busiest(const Summary& summary) {
  const auto found = std::max_element(summary.links.begin(), summary.links.end(),
                                      [](const auto& a, const auto& b) { return a.utilization < b.utilization; });
  return found == summary.links.end() ? LinkSummary() : *found;
}

struct Column {
  const char* name;
  Json (*of)(const Summary& summary);
};

constexpr Column kColumns[] = {
    {"iteration_time_s", [](const Summary& s) -> Json { return s.iteration_time.value(); }},
    {"throughput_samples_per_s", [](const Summary& s) -> Json { return s.samples_per_second; }},
    {"tokens_per_s_per_device", [](const Summary& s) -> Json { return s.tokens_per_second_per_device; }},
    {"mfu", [](const Summary& s) -> Json { return s.mfu; }},
    {"fits", [](const Summary& s) -> Json { return s.fits; }},
    {"peak_memory_bytes", [](const Summary& s) -> Json { return peak_memory(s); }},
    {"compute_s", [](const Summary& s) -> Json { return mean(s, &DeviceSummary::compute); }},
    {"communication_s", [](const Summary& s) -> Json { return mean(s, &DeviceSummary::communication); }},
    {"idle_s", [](const Summary& s) -> Json { return mean(s, &DeviceSummary::idle); }},
    {"busiest_link", [](const Summary& s) -> Json { return busiest(s).name; }},
    {"busiest_link_utilization", [](const Summary& s) -> Json { return busiest(s).utilization; }},
};

}  // namespace

Json answer_of(const Summary& summary) {
  Json answer;
  for (const Column& column : kColumns) answer.set(column.name, column.of(summary));
  return answer;
}

const std::vector<std::string>& answer_columns() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Column& column : kColumns) all.emplace_back(column.name);
    return all;
  }();
  return names;
}

}  // namespace foreflow::sweep
