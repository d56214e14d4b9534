#include "foreflow/simulate/chosen.h"

#include <map>

#include "foreflow/base/nth.h"
#include "simulate/fold/chosen_parts.h"

namespace foreflow::simulate {

void add_flows(const stream::Program& program, const stream::Timeline& timeline, Run& run) {
  const auto first = static_cast<int32_t>(run.program.instances.size());
  const stream::Members none;
  for (const stream::Instance& instance : program.instances)
    run.program.instances.push_back({instance.communication, none});
  run.timeline.makespan  = timeline.makespan;
  run.timeline.links     = timeline.links;
  run.timeline.flows     = timeline.flows;
  run.timeline.loads     = timeline.loads;
  run.timeline.paces     = timeline.paces;
  run.timeline.like_link = timeline.like_link;
  for (stream::Flow& flow : run.timeline.flows) flow.instance += first;
}

Run only_devices(const stream::Program& program, const stream::Timeline& timeline, const ChosenDevices& chosen) {
  Run run{events_of(program), {}};
  std::map<std::pair<int32_t, int32_t>, size_t> order;  // by job and number
  for (size_t d = 0; d < program.devices.size(); ++d) {
    const stream::DeviceUse& device = program.devices[d];
    if (chosen(device.index)) order.emplace(std::pair(device.job, device.index), d);
  }
  std::vector<int32_t> devices(program.devices.size(), -1), streams(program.streams.size(), -1);  // the chosen ones'
  for (const auto& [place, device] : order) {
    devices[device] = static_cast<int32_t>(run.program.devices.size());
    run.program.devices.push_back(program.devices[device]);
  }
  std::vector<std::vector<size_t>> streams_of(run.program.devices.size());
  for (size_t s = 0; s < program.streams.size(); ++s) {
    const int32_t device = nth(devices, program.streams[s].device);
    if (device >= 0) nth(streams_of, device).push_back(s);
  }
  std::map<int32_t, int32_t> instances;  // the chosen ones', which keep their order
  for (size_t d = 0; d < streams_of.size(); ++d) {
    for (const size_t s : streams_of[d]) {
      streams[s] = static_cast<int32_t>(run.program.streams.size());
      run.program.streams.push_back({program.streams[s].name, static_cast<int>(d), program.streams[s].items});
      run.timeline.records.push_back(timeline.records[s]);
      if (!timeline.issued.empty()) run.timeline.issued.push_back(timeline.issued[s]);
      for (const stream::Item& item : program.streams[s].items) {
        if (item.instance >= 0) instances.emplace(item.instance, 0);
      }
    }
  }
  for (auto& [number, own] : instances) {
    own = static_cast<int32_t>(run.program.instances.size());

    const stream::Instance& instance = nth(program.instances, number);
    std::vector<int32_t> members;
    for (const int32_t member : instance.members) {
      if (nth(streams, member) >= 0) members.push_back(nth(streams, member));
    }
    run.program.instances.push_back({instance.communication, std::move(members)});
  }
  for (stream::Stream& stream : run.program.streams) {
    for (stream::Item& item : stream.items) {
      if (item.instance >= 0) item.instance = instances.at(item.instance);
    }
  }
  add_flows(program, timeline, run);
  return run;
}

}  // namespace foreflow::simulate
