#include "platform/zones/machine.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "foreflow/platform/recipe.h"
#include "platform/kinds.h"
#include "platform/nodes/ports.h"
#include "platform/zones/patterns.h"
#include "platform/zones/routings.h"

namespace foreflow::platform::zones {
namespace {

// Assumptions about the memory of CPUs, of which files say nothing. A bandwidth of one byte per flop is what CPUs of
// the years of these files had (McCalpin, "Memory Bandwidth and Machine Balance in Current High Performance Computers",
// 1995, and its updates).
constexpr Bytes kCpuMemory(64 * 0x1p30);
constexpr double kBytesPerFlop = 1;

// Consecutive hosts with the same devices.
struct DeviceBlock {
  int first;             // device
  int host, hosts;       // the first host, and how many there are
  int per_host;          // devices; 0: the hosts compute nothing
  int kind;              // of the devices
  bool cpu;              // the host is the device
  int first_link   = 0;  // of those inside the hosts: two for each device
  int inside_links = 0;  // all of them
  int inside_kind  = 0;

  int devices() const { return hosts * per_host; }
};

Device cpu_of(const HostBlock& block) {
  Device device;
  device.kind               = block.cores == 1 ? fmt::format("CPU {}", format(block.speed))
                                               : fmt::format("CPU {} x {} cores", format(block.speed), block.cores);
  const FlopsPerSecond peak = static_cast<double>(block.cores) * block.speed;
  device.peaks["f32"]       = peak;
  device.memory             = kCpuMemory;
  device.memory_bandwidth   = BytesPerSecond(kBytesPerFlop * peak.value());
  return device;
}

// A battery or a solar panel of SimGrid's plugins is a host of speed 0.
bool computes_nothing(const Device& cpu) {
  return cpu.memory_bandwidth == BytesPerSecond(0) || cpu.peak("f32") == FlopsPerSecond(0);
}

// The link between a device and its host, an assumption as well. NVLink: the bandwidth of all links of a device in one
// direction, by generation, which is half of that in NVIDIA's data sheets of P100, V100, A100, H100 and B200.
Link port_of(const Device& device) {
  constexpr std::array kNvlinks = {80_GBps, 150_GBps, 300_GBps, 450_GBps, 900_GBps};
  const auto generation         = static_cast<size_t>(device.nvlink_generation);
  const Port port = generation == 0 ? pcie4_port() : nvlink_port(kNvlinks[std::min(generation, kNvlinks.size()) - 1]);
  Link link;
  link.kind              = port.kind;
  link.bandwidth         = port.bandwidth;
  link.latency           = port.latency;
  link.nvlink_generation = device.nvlink_generation;
  return link;
}

struct Machine {
  Tree tree;
  std::vector<DeviceBlock> blocks;
  std::vector<Device> device_kinds;
  std::vector<Link> link_kinds;
  std::vector<Seconds> latencies;  // of link kinds
  int devices = 0, links = 0;

  const DeviceBlock& block_of_device(int device) const {
    return *std::prev(std::upper_bound(blocks.begin(), blocks.end(), device,
                                       [](int value, const DeviceBlock& block) { return value < block.first; }));
  }
  const DeviceBlock& block_of_host(int host) const {
    return *std::prev(std::upper_bound(blocks.begin(), blocks.end(), host,
                                       [](int value, const DeviceBlock& block) { return value < block.host; }));
  }
  const DeviceBlock& block_of_inside(int link) const {
    return *std::prev(std::upper_bound(blocks.begin(), blocks.end(), link,
                                       [](int value, const DeviceBlock& block) { return value < block.first_link; }));
  }
  int host_of(int device) const {
    const DeviceBlock& block = block_of_device(device);
    return block.host + (device - block.first) / block.per_host;
  }
  Device make_device(int index) const {
    const DeviceBlock& block = block_of_device(index);
    Device device            = nth(device_kinds, block.kind);
    device.node              = host_name(tree, host_of(index));
    device.rail              = (index - block.first) % block.per_host;
    device.name              = block.cpu ? device.node : fmt::format("{}-gpu{}", device.node, device.rail);
    return device;
  }
  std::optional<int> find_device(std::string_view name) const {
    if (const auto host = find_host(tree, name)) {
      const DeviceBlock& block = block_of_host(*host);
      if (block.cpu && block.per_host > 0) return block.first + *host - block.host;
    }
    const size_t tail = name.rfind("-gpu");
    if (tail == std::string_view::npos) return std::nullopt;
    const auto host = find_host(tree, name.substr(0, tail));
    const auto rail = plain_number(name.substr(tail + 4));
    if (!host || !rail) return std::nullopt;
    const DeviceBlock& block = block_of_host(*host);
    if (block.cpu || *rail >= block.per_host) return std::nullopt;
    return block.first + (*host - block.host) * block.per_host + *rail;
  }
  int kind_of_link(int link) const {
    return link < tree.link_count ? link_kind(tree, link) : block_of_inside(link).inside_kind;
  }
  // Links inside hosts are called after the device: "n1-gpu0-link_UP".
  std::string name_of_link(int link) const {
    if (link < tree.link_count) return link_name(tree, link);
    const DeviceBlock& block = block_of_inside(link);
    const int of_block       = link - block.first_link;
    return fmt::format("{}-link{}", make_device(block.first + of_block / 2).name, of_block % 2 == 0 ? "_UP" : "_DOWN");
  }
  std::optional<int> find_link_of(std::string_view name) const {
    if (const auto link = find_link(tree, name)) return link;
    for (const auto& [tail, end] : {std::pair<std::string_view, int>{"-link_UP", 0}, {"-link_DOWN", 1}}) {
      if (!name.ends_with(tail)) continue;
      const auto device = find_device(name.substr(0, name.size() - tail.size()));
      if (!device) continue;
      const DeviceBlock& block = block_of_device(*device);
      if (block.inside_links > 0) return block.first_link + 2 * (*device - block.first) + end;
    }
    return std::nullopt;
  }
};

using MachineRef = std::shared_ptr<const Machine>;

// Puts devices into hosts, one host after the other.
class Populating {
 public:
  Populating(Machine& machine, const DevicePlan& rules) : machine_(machine), rules_(rules), used_(rules.size()) {
    for (const Link& kind : machine.tree.link_kinds) links_.of(kind);
    machine_.links = machine.tree.link_count;
  }

  void all(const std::string& name) {
    for (const HostBlock& block : machine_.tree.hosts) add(block);
    for (size_t i = 0; i < rules_.size(); ++i) {
      if (!used_[i])
        throw Error(name, fmt::format("devices: no host and no zone has a name like \"{}\"", rules_[i].pattern));
    }
    machine_.device_kinds = devices_.examples();
    machine_.link_kinds   = links_.examples();
    for (Device& kind : machine_.device_kinds) kind.name = "";
  }

 private:
  static constexpr int kNoRule = -1;

  int rule_of(const HostBlock& block, int index) {
    for (size_t i = 0; i < rules_.size(); ++i) {
      if (!matches(rules_[i].pattern, block.names.name(index)) && !in_zone_like(block, rules_[i].pattern)) continue;
      used_[i] = true;
      return static_cast<int>(i);
    }
    return kNoRule;
  }
  bool in_zone_like(const HostBlock& block, const std::string& pattern) const {
    for (int zone = block.place.zone; zone >= 0; zone = nth(machine_.tree.zones, zone).parent) {
      if (matches(pattern, nth(machine_.tree.zones, zone).id)) return true;
    }
    return false;
  }

  void add(const HostBlock& block) {
    const int count = block.names.size();
    if (rules_.empty()) return add_run(block, 0, count, kNoRule);
    for (int begin = 0; begin < count;) {
      const int rule = rule_of(block, begin);
      int end        = begin + 1;
      while (end < count && rule_of(block, end) == rule) ++end;
      add_run(block, begin, end - begin, rule);
      begin = end;
    }
  }

  void add_run(const HostBlock& block, int begin, int count, int rule) {
    DeviceBlock run{machine_.devices, block.first + begin, count, 1, 0, true};
    run.first_link = machine_.links;
    Device device  = cpu_of(block);
    if (rule != kNoRule) {
      const HostDevices& inside = nth(rules_, rule);
      device                    = changed(inside.device, std::move(device));
      run.per_host              = inside.per_host;
      run.cpu                   = !inside.device.sheet;
    }
    if (run.cpu && computes_nothing(device)) {
      run.per_host = 0;
      machine_.blocks.push_back(run);
      return;
    }
    if (run.per_host > 1) {
      run.inside_links = 2 * run.devices();
      run.inside_kind  = links_.of(port_of(device));
    }
    run.kind = devices_.of(device);
    machine_.devices += run.devices();
    machine_.links += run.inside_links;
    machine_.blocks.push_back(run);
  }

  Machine& machine_;
  const DevicePlan& rules_;
  std::vector<char> used_;
  KindNumbers<Device> devices_;
  KindNumbers<Link> links_;
};

// Applies the network model of the file to its kinds of links. Routes keep the latency that the file states, as
// SimGrid's do; what the model adds to it is a latency of each step.
void heed(const NetworkConfig& network, std::vector<Link>& kinds) {
  for (Link& kind : kinds) {
    kind.efficiency   = network.bandwidth_factor;
    kind.step_latency = (network.latency_factor - 1) * kind.latency;
  }
}

platform::Router router_of(const MachineRef& machine, const Declared& declared) {
  return [machine, window = declared.window, longer = declared.latency_factor - 1,
          router = std::make_shared<ZoneRouter>(machine->tree)](int from, int to) {
    platform::Route route{{}, Seconds(0)};
    if (from == to) return route;
    const int source = machine->host_of(from), target = machine->host_of(to);
    Way way;
    if (source == target) {
      const DeviceBlock& block = machine->block_of_device(from);
      way.links = {block.first_link + 2 * (from - block.first), block.first_link + 2 * (to - block.first) + 1};
    } else {
      router->route(place_of_host(machine->tree, source), place_of_host(machine->tree, target), way);
      if (!way.found) return route;
    }
    for (const int link : way.links) route.latency += nth(machine->latencies, machine->kind_of_link(link));
    route.latency += Seconds(way.further);
    route.step_latency = longer * Seconds(way.further);
    route.links        = std::move(way.links);
    if (source != target && window > Bytes(0) && route.latency > Seconds(0)) route.limit = window / route.latency;
    return route;
  };
}

// Profiles of hosts become profiles of their devices.
std::vector<Profile> profiles_of(std::vector<Profile> profiles, const Machine& machine) {
  for (Profile& profile : profiles) {
    if (profile.what != Profile::What::speed && profile.what != Profile::What::on) continue;
    const int host           = profile.indices.front();
    const DeviceBlock& block = machine.block_of_host(host);
    profile.indices.clear();
    for (int i = 0; i < block.per_host; ++i)
      profile.indices.push_back(block.first + (host - block.host) * block.per_host + i);
  }
  std::erase_if(profiles, [](const Profile& profile) { return profile.indices.empty(); });
  return profiles;
}

std::string counted(int count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::vector<std::string> assumptions(const Machine& machine) {
  int cpus = 0, idle = 0;
  std::map<std::pair<int, int>, int> hosts;  // by the kind of device and how many each has
  for (const DeviceBlock& block : machine.blocks) {
    if (block.cpu) (block.per_host == 0 ? idle : cpus) += block.hosts;
    if (!block.cpu) hosts[{block.kind, block.per_host}] += block.hosts;
  }
  std::string line;
  const auto add = [&](const std::string& more) { line += (line.empty() ? "" : "; ") + more; };
  if (cpus > 0) {
    add(fmt::format(
        "{} taken for CPU devices of their speed on all of their cores, with {} of memory that gives {} byte "
        "per flop (\"device\" puts others in)",
        counted(cpus, "host"), format(kCpuMemory), kBytesPerFlop));
  }
  for (const auto& [what, count] : hosts) {
    const auto& [kind, per_host] = what;
    const Device& device         = nth(machine.device_kinds, kind);
    const Link port              = port_of(device);
    add(fmt::format("{} with {} {} each{}", counted(count, "host"), per_host, device.kind,
                    per_host == 1 ? "" : fmt::format(", joined by {} of {}", port.kind, format(port.bandwidth))));
  }
  if (idle > 0) add(fmt::format("{} of speed 0 with no device", counted(idle, "host")));
  return {line};
}

}  // namespace

Platform make(Document document, const DevicePlan& rules, const std::string& name) {
  auto filled  = std::make_shared<Machine>();
  filled->tree = std::move(document.tree);
  Populating(*filled, rules).all(name);
  if (int64_t{filled->devices} > kMostDevices) throw Error(name, fmt::format("has more than {} devices", kMostDevices));
  for (const Link& kind : filled->link_kinds) filled->latencies.push_back(kind.latency);
  heed(document.network, filled->link_kinds);
  auto declared            = std::make_shared<Declared>();
  declared->latency_factor = document.network.latency_factor;
  // There and back: NetworkCm02Model::comm_action_set_variable of SimGrid 3.32.
  declared->window         = Bytes(document.network.bandwidth_factor * document.network.window / 2);
  declared->disks          = std::move(document.disks);
  declared->ignored        = std::move(document.ignored);
  declared->profiles       = profiles_of(std::move(document.profiles), *filled);
  declared->assumed        = assumptions(*filled);
  const MachineRef machine = std::move(filled);
  return {
      name,
      PlatformRule{
          .devices     = {.size = static_cast<size_t>(machine->devices),
                          .make = [machine](size_t device) { return machine->make_device(static_cast<int>(device)); },
                          .kind =
                              [machine](size_t device) { return machine->block_of_device(static_cast<int>(device)).kind; },
                          .kinds = machine->device_kinds},
          .links       = {.size = static_cast<size_t>(machine->links),
                          .make =
                              [machine](size_t index) {
                          const auto number = static_cast<int>(index);
                          Link link         = nth(machine->link_kinds, machine->kind_of_link(number));
                          link.name         = machine->name_of_link(number);
                          return link;
                        },
                          .kind  = [machine](size_t link) { return machine->kind_of_link(static_cast<int>(link)); },
                          .kinds = machine->link_kinds},
          .nodes       = machine->tree.host_count,
          .node        = [machine](int device) { return machine->host_of(device); },
          .find_device = [machine](std::string_view text) { return machine->find_device(text); },
          .find_link   = [machine](std::string_view text) { return machine->find_link_of(text); },
          .graph       = nullptr,
          .router      = router_of(machine, *declared),
          .declared    = declared,
          .cards       = [](const platform::Router&) { return CardUse{}; }}};
}

}  // namespace foreflow::platform::zones
