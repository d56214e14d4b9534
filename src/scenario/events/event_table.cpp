#include "scenario/events/event_table.h"

#include <algorithm>
#include <array>
#include <set>

#include "foreflow/base/nth.h"

namespace foreflow::scenario {

std::string_view name(Scope scope) {
  static constexpr std::array<std::string_view, 4> kNames = {"compute", "intra-node", "inter-node", "host-copy"};
  return nth(kNames, scope);
}

std::vector<Event> EventTable::sorted() && {
  const auto order = [](const Event& event) {
    return std::tuple(-static_cast<double>(event.count) * event.time.value(), event.signature, event.device,
                      event.scope, event.ranks, event.nodes);
  };
  std::sort(events_.begin(), events_.end(), [&](const Event& a, const Event& b) { return order(a) < order(b); });
  return std::move(events_);
}

bool have_several_devices(const std::vector<Event>& events) {
  std::set<std::string_view> devices;
  for (const Event& event : events) {
    if (event.scope == Scope::compute) devices.insert(event.device);
  }
  return devices.size() > 1;
}

std::vector<cost::Measurement> to_measure(const std::vector<Event>& events, bool with_device) {
  std::vector<cost::Measurement> rows;
  for (const Event& event : events) {
    if (event.scope == Scope::host_copy) continue;
    cost::Measurement row;
    row.kind      = event.scope == Scope::compute ? cost::Measurement::Kind::compute : cost::Measurement::Kind::message;
    row.op        = event.op;
    row.dtype     = event.dtype;
    row.signature = event.signature;
    row.ranks     = event.ranks;
    row.nodes     = event.nodes;
    if (with_device) row.device = event.device;
    row.flops   = event.flops;
    row.read    = event.read;
    row.written = event.written;
    row.message = event.message;
    row.count   = event.count;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace foreflow::scenario
