#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "foreflow/base/nth.h"
#include "report/device_names.h"
#include "report/json_parts.h"

namespace foreflow::report {
namespace {

// The figures in which devices that are reported as one group agree; the last is the index of their peak. Times count
// in steps of 1e-12 of the iteration, because those of equal devices may differ by rounding.
using Figures = std::tuple<int, std::array<int64_t, 6>, Bytes, Bytes, const MemoryPeak*>;

Figures figures_of(const DeviceSummary& device, const MemoryPeak* peak, Seconds iteration) {
  const auto steps = [&](Seconds time) { return iteration > Seconds(0) ? std::llround(1e12 * (time / iteration)) : 0; };
  return {device.job,
          {steps(device.busy), steps(device.compute), steps(device.communication), steps(device.idle),
           steps(device.host_idle), steps(device.host_inside)},
          device.peak_memory,
          device.capacity,
          peak};
}

class DeviceRows {
 public:
  DeviceRows(const Summary& summary, const stream::Program& program, const platform::Platform& platform,
             const std::vector<MemoryPeak>& peaks)
      : summary_(summary), program_(program), platform_(platform), peaks_(summary.devices.size(), nullptr) {
    for (const MemoryPeak& peak : peaks) {
      for (const int device : peak.devices) nth(peaks_, device) = &peak;
    }
  }

  Json by_class() const {
    std::vector<std::vector<size_t>> classes;
    std::map<Figures, size_t> index;
    for (size_t d = 0; d < summary_.devices.size(); ++d) {
      const auto [found, fresh] =
          index.try_emplace(figures_of(summary_.devices[d], peaks_[d], summary_.iteration_time), classes.size());
      if (fresh) classes.emplace_back();
      classes[found->second].push_back(d);
    }
    Json all = Json::array();
    for (const std::vector<size_t>& devices : classes) {
      const DeviceSummary& first = summary_.devices[devices.front()];
      int64_t count              = 0;
      for (const size_t d : devices) count += summary_.devices[d].count();
      Json row = named(first.name, first.place, first.node);
      row.set("count", count);
      row.set("members", names_json(summary_, devices, {}));
      add_figures(row, devices.front());
      all.push(std::move(row));
    }
    return all;
  }

  Json one_by_one(const DeviceChoice& choice) const {
    std::vector<std::tuple<int, int32_t, size_t>> chosen;  // by job and number
    for (size_t d = 0; d < summary_.devices.size(); ++d) {
      for (const stream::DeviceRange& range : summary_.devices[d].members) {
        for (int32_t number = range.first; number <= range.last; number += range.step) {
          if (choice.contains(number)) chosen.emplace_back(summary_.devices[d].job, number, d);
        }
      }
    }
    std::sort(chosen.begin(), chosen.end());
    Json all = Json::array();
    for (const auto& [job, number, d] : chosen) {
      stream::DeviceUse use    = program_.devices[d];
      const int place          = place_of(program_, use, number);
      use.index                = number;
      const auto& [name, node] = std::tie(nth(platform_.devices(), place).name, nth(platform_.devices(), place).node);
      Json row                 = named(stream::name(program_, use), name, node);
      add_figures(row, d);
      all.push(std::move(row));
    }
    return all;
  }

 private:
  static Json named(const std::string& name, const std::string& place, const std::string& node) {
    Json row = Json::object();
    row.set("name", name);
    row.set("place", place);
    row.set("node", node);
    return row;
  }

  void add_figures(Json& row, size_t d) const {
    const DeviceSummary& device = summary_.devices[d];
    if (!summary_.jobs.empty()) row.set("job", nth(summary_.jobs, device.job).job.name);
    row.set("busy_s", device.busy.value());
    row.set("compute_s", device.compute.value());
    row.set("communication_s", device.communication.value());
    row.set("idle_s", device.idle.value());
    const Seconds host = device.host_idle + device.host_inside;
    if (host > Seconds(0)) row.set("host_s", host.value());
    row.set("peak_memory_bytes", whole_bytes(device.peak_memory));
    row.set("memory_capacity_bytes", whole_bytes(device.capacity));
    row.set("fits", device.fits);
    if (peaks_[d] != nullptr) row.set("memory", classes_json(peaks_[d]->classes));
  }

  const Summary& summary_;
  const stream::Program& program_;
  const platform::Platform& platform_;
  std::vector<const MemoryPeak*> peaks_;  // by device
};

}  // namespace

Json classes_json(const ClassBytes& classes) {
  Json all = Json::object();
  for (size_t kind = 0; kind < classes.size(); ++kind)
    all.set(std::string(stream::name(static_cast<stream::MemoryClass>(kind))) + "_bytes", whole_bytes(classes[kind]));
  return all;
}

Json names_json(const Summary& summary, const std::vector<size_t>& devices, const DeviceChoice& choice) {
  DeviceNames names = names_of(summary, devices);
  Json all          = Json::array();
  for (std::string& name : choice.all ? names.each() : names.ranges()) all.push(std::move(name));
  return all;
}

Json devices_json(const Summary& summary, const stream::Program& program, const platform::Platform& platform,
                  const std::vector<MemoryPeak>& peaks, const DeviceChoice& choice) {
  const DeviceRows rows(summary, program, platform, peaks);
  return choice.none() ? rows.by_class() : rows.one_by_one(choice);
}

}  // namespace foreflow::report
