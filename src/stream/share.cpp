#include "foreflow/stream/share.h"

#include <algorithm>
#include <numeric>

#include "foreflow/base/nth.h"

namespace foreflow::stream {
namespace {

template <class T>
int32_t size_of(const std::vector<T>& list) {
  return static_cast<int32_t>(list.size());
}

template <class T>
void append(std::vector<T>& list, const std::vector<T>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

constexpr std::string_view kWait = "start";

// Copies tenants behind each other, renumbering on the way.
class ProgramSharer {
 public:
  // `only`: the tenant that does anything; null: all do.
  explicit ProgramSharer(const std::vector<Tenant>& tenants, const Tenant* only = nullptr)
      : tenants_(tenants), only_(only) {
    for (const Tenant& tenant : tenants) shared_.waits += waits(tenant) ? 1 : 0;
    shared_.program.instances.resize(static_cast<size_t>(shared_.waits));
  }

  Shared write() {
    for (const Tenant& tenant : tenants_) {
      shared_.program.jobs.push_back(tenant.name);
      if (works(tenant)) {
        write(tenant);
      } else {
        write_idle(tenant);
      }
    }
    return std::move(shared_);
  }

 private:
  bool works(const Tenant& tenant) const { return only_ == nullptr || only_ == &tenant; }
  bool waits(const Tenant& tenant) const { return works(tenant) && tenant.start > Seconds(0); }

  void add_devices(const Tenant& tenant) {
    for (DeviceUse copy : tenant.program.devices) {
      copy.job = size_of(shared_.program.jobs) - 1;
      shared_.program.devices.push_back(copy);
    }
  }

  // Its devices and streams, which do nothing.
  void write_idle(const Tenant& tenant) {
    const int32_t device = size_of(shared_.program.devices);
    add_devices(tenant);
    for (const Stream& original : tenant.program.streams)
      shared_.program.streams.push_back({tenant.name + "/" + original.name, original.device + device, {}});
  }

  void write(const Tenant& tenant) {
    Program& all          = shared_.program;
    const Program& own    = tenant.program;
    const Item wait       = waits(tenant) ? wait_for(tenant) : Item{0, -1, 0};
    const int32_t compute = size_of(all.computes), communication = size_of(all.communications),
                  memory = size_of(all.memory_effects), instance = size_of(all.instances),
                  device = size_of(all.devices), stream = size_of(all.streams);
    append(all.computes, own.computes);
    append(all.communications, own.communications);
    append(all.memory_effects, own.memory_effects);
    for (const Instance& original : own.instances) {
      std::vector<int32_t> members = original.members;
      for (int32_t& member : members) member += stream;
      all.instances.push_back({original.communication + communication, std::move(members)});
    }
    add_devices(tenant);
    for (const Stream& original : own.streams) {
      Stream copy{tenant.name + "/" + original.name, original.device + device, {}};
      copy.items.reserve(original.items.size() + 1);
      if (wait.instance >= 0) copy.items.push_back(wait);
      for (Item item : original.items) {
        item.event += item.instance < 0 ? compute : communication;
        item.instance += item.instance < 0 ? 0 : instance;
        item.memory += memory;
        copy.items.push_back(item);
      }
      all.streams.push_back(std::move(copy));
    }
  }

  // The item that holds every stream of the tenant until its start.
  Item wait_for(const Tenant& tenant) {
    Program& all       = shared_.program;
    const auto kind    = collective::Kind::broadcast;
    const Item wait    = {size_of(all.communications), next_wait_++, size_of(all.memory_effects)};
    Instance& instance = nth(all.instances, wait.instance);
    std::vector<int32_t> members(tenant.program.streams.size());
    std::iota(members.begin(), members.end(), size_of(all.streams));
    instance = {wait.event, std::move(members)};
    Communication start{std::string(kWait), kind, &collective::default_algorithm(kind), Bytes(0), tenant.start};
    start.issue.waits = true;  // hosts of the job begin with it
    all.communications.push_back(std::move(start));
    all.memory_effects.push_back({Bytes(0), Bytes(0)});
    return wait;
  }

  const std::vector<Tenant>& tenants_;
  const Tenant* only_;
  Shared shared_;
  int32_t next_wait_ = 0;
};

bool waits_first(const Shared& shared, const Stream& stream) {
  return !stream.items.empty() && stream.items.front().instance >= 0 && stream.items.front().instance < shared.waits;
}

}  // namespace

Shared share(const std::vector<Tenant>& tenants) { return ProgramSharer(tenants).write(); }

Shared share_alone(const std::vector<Tenant>& tenants, size_t number) {
  return ProgramSharer(tenants, &tenants[number]).write();
}

bool is_wait(const Communication& communication) {
  return communication.fixed && communication.issue.waits && communication.name == kWait;
}

Program without_waits(const Shared& shared) {
  Program program = shared.program;
  for (Stream& stream : program.streams) {
    if (waits_first(shared, stream)) stream.items.erase(stream.items.begin());
  }
  for (int32_t wait = 0; wait < shared.waits; ++wait) nth(program.instances, wait).members = {};
  return program;
}

Timeline without_waits(const Shared& shared, Timeline timeline) {
  for (size_t s = 0; s < shared.program.streams.size(); ++s) {
    auto& records = timeline.records[s];
    if (!waits_first(shared, shared.program.streams[s])) continue;
    records.erase(records.begin());
    if (!timeline.issued.empty()) timeline.issued[s].erase(timeline.issued[s].begin());
  }
  return timeline;
}

Seconds end_of(const Program& program, const Timeline& timeline, int32_t job) {
  Seconds end(0);
  for (size_t s = 0; s < program.streams.size(); ++s) {
    const DeviceUse& device = nth(program.devices, program.streams[s].device);
    if (device.job == job && !timeline.records[s].empty()) end = std::max(end, timeline.records[s].back().end);
  }
  return end;
}

}  // namespace foreflow::stream
