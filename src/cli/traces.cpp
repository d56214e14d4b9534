#include "cli/traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "foreflow/base/escape.h"
#include "foreflow/base/text.h"
#include "foreflow/execute/trace.h"

namespace foreflow::cli {
namespace {

Json host_of(const execute::TraceMeasurements& found) {
  Json host = Json::object();
  for (const auto& [key, time] :
       {std::pair("kernel", found.kernel), {"gradient", found.gradient}, {"collective", found.collective}}) {
    if (time.count > 0) host.set(key, format(time.median));
  }
  return host;
}

// The ops whose kernels have no counterpart, those that took longest first.
std::string others_of(const execute::TraceMeasurements& found) {
  constexpr size_t kNamed = 6;
  std::vector<std::pair<Seconds, std::string>> others;
  for (const auto& [name, time] : found.others) others.emplace_back(time, name.empty() ? "no op" : name);
  std::sort(others.begin(), others.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (size_t i = 0; i < std::min(kNamed, others.size()); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", escape::terminal(others[i].second), format(others[i].first));
  if (others.size() > kNamed) text += fmt::format(" and {} more", others.size() - kNamed);
  return text;
}

// A message lasts from the moment when the last of the ranks that are given begins it, and waits for those that are
// not.
bool lack_ranks(const execute::TraceMeasurements& found) {
  if (std::none_of(found.measurements.begin(), found.measurements.end(),
                   [](const auto& one) { return one.kind == cost::Measurement::Kind::message; }))
    return false;
  return found.world == 0 ? found.ranks == 1 : found.ranks < found.world;
}

std::string text_of(const execute::TraceMeasurements& found, const Json& host) {
  std::string text = fmt::format("{} trace{}: {} of kernels, {:.1f} % of it measured\n", found.ranks,
                                 found.ranks == 1 ? "" : "s", format(found.all), 100 * (found.matched / found.all));
  if (!found.others.empty()) text += "not measured: " + others_of(found) + "\n";
  if (lack_ranks(found))
    text += fmt::format(
        "messages include how long {} waited for the others; name the traces of all ranks to leave that out\n",
        found.ranks == 1 ? "this rank" : "these ranks");
  if (host.if_object() != nullptr && !host.if_object()->empty())
    text += fmt::format("from launch to launch, for a scenario: \"host\": {}\n", host.dump_compact());
  return text + "\n";
}

void add_device(std::vector<std::string>& devices, const std::string& device) {
  if (!device.empty() && std::find(devices.begin(), devices.end(), device) == devices.end()) devices.push_back(device);
}

// The measurements of one device, as its file calls it; "": not known.
struct Measured {
  std::string file, device;
  std::vector<cost::Measurement> rows;
};

// Computes on several devices are kept apart by their device. A message has none, so that one that was measured
// on several would be priced by all of them.
void state_devices(std::vector<Measured>& all) {
  std::map<std::tuple<std::string, std::string, int, int, std::string>, const Measured*> messages;
  for (Measured& one : all) {
    for (cost::Measurement& row : one.rows) {
      if (row.kind == cost::Measurement::Kind::compute) {
        if (row.device.empty()) row.device = one.device;
        continue;
      }
      const auto [found, fresh] =
          messages.emplace(std::tuple(row.op, row.dtype, row.ranks, row.nodes, row.signature), &one);
      if (fresh || found->second->device == one.device) continue;
      throw Error(one.file,
                  fmt::format("has times of \"{}\" on {}, and {} on {}; leave the messages of one of them out, "
                              "or calibrate each file alone",
                              row.signature, one.device.empty() ? "an unknown device" : one.device, found->second->file,
                              found->second->device.empty() ? "an unknown device" : found->second->device));
    }
  }
}

}  // namespace

MeasuredFiles read_measured_files(const std::vector<std::string>& files) {
  MeasuredFiles all;
  std::vector<Measured> measured;
  std::vector<std::string> traces, devices;
  for (const std::string& file : files) {
    if (execute::is_trace(file)) {
      traces.push_back(file);
      continue;
    }
    const std::string text = read_file(file);
    measured.push_back({file, cost::stated_device(text), cost::parse_csv(text, file)});
    add_device(devices, measured.back().device);
  }
  if (!traces.empty()) {
    const execute::TraceMeasurements found = execute::read_traces(traces);
    measured.push_back({traces.front(), found.devices.empty() ? "" : *found.devices.begin(), found.measurements});
    for (const std::string& device : found.devices) add_device(devices, device);
    all.host = host_of(found);
    all.text = text_of(found, all.host);
  }
  if (devices.size() > 1) state_devices(measured);
  for (const Measured& one : measured)
    all.measurements.insert(all.measurements.end(), one.rows.begin(), one.rows.end());
  all.device = fmt::format("{}", fmt::join(devices, ", "));
  return all;
}

}  // namespace foreflow::cli
