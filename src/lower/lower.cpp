#include "foreflow/lower/lower.h"

#include <algorithm>
#include <set>

#include "foreflow/base/memory.h"
#include "foreflow/interpret/sequence_table.h"
#include "foreflow/ir/host_memory.h"
#include "foreflow/ir/written_out.h"
#include "lower/caches.h"
#include "lower/devices.h"
#include "lower/fragment.h"

namespace foreflow::lower {
namespace {

// Where the devices of a program are: D1 first, unless the program counts from D0.
class Placement {
 public:
  Placement(const std::set<ir::Device>& devices, const platform::Platform& platform, const Options& options,
            int replicas)
      : places_(options.places), replicas_(replicas) {
    bool has_zero   = false;
    int32_t largest = 0;
    for (const ir::Device& device : devices) {
      has_zero = has_zero || device.index == 0;
      largest  = std::max(largest, device.index);
    }
    const int32_t first = has_zero ? 0 : 1;
    offset_             = -first;
    of_replica_         = std::max(largest + offset_ + 1, 1);
    count_              = of_replica_ * replicas_;
    check_count(platform);
  }
  int32_t device(const ir::Device& device) const { return device.placed() ? device.index : -offset_; }
  int32_t place(int32_t device) const { return place_of_rank(device + offset_); }
  int32_t place_of_rank(int32_t rank) const { return places_.empty() ? rank : places_[static_cast<size_t>(rank)]; }
  int32_t count() const { return count_; }
  int32_t first() const { return -offset_; }
  int32_t replicas() const { return replicas_; }
  int32_t of_replica() const { return of_replica_; }  // devices

 private:
  void check_count(const platform::Platform& platform) const {
    const size_t available = places_.empty() ? platform.devices().size() : places_.size();
    if (static_cast<size_t>(count_) <= available) return;
    throw Error("platform " + platform.name(), (places_.empty() ? "has " : "leaves to the placement ") +
                                                   std::to_string(available) + " devices; the program needs " +
                                                   std::to_string(count_) + "; add nodes or lower dp, tp or pp");
  }
  const std::vector<int>& places_;
  const int32_t replicas_;
  int32_t offset_     = 0;
  int32_t of_replica_ = 1;
  int32_t count_      = 1;
};

// The distinct kinds of hardware among the devices that are used, and the kind of each device number.
std::pair<std::vector<const platform::Device*>, Kinds> kinds_of(const platform::Platform& platform,
                                                                const Placement& placement) {
  std::vector<const platform::Device*> hardware;
  Kinds kinds(static_cast<size_t>(placement.first()), 0);
  for (int32_t i = 0; i < placement.count(); ++i) {
    const platform::Device& device = platform.devices().like(static_cast<size_t>(placement.place_of_rank(i)));
    const auto same                = std::find_if(hardware.begin(), hardware.end(),
                                                  [&](const platform::Device* known) { return platform::same_speed(*known, device); });
    kinds.push_back(static_cast<int32_t>(same - hardware.begin()));
    if (same == hardware.end()) hardware.push_back(&device);
  }
  return {hardware, kinds};
}

// Writes fragments into streams, renaming devices on the way, for all replicas at once.
class Flattener {
 public:
  Flattener(const FragmentMaker& maker, const Placement& placement, const std::vector<GroupAlgorithms>& groups,
            stream::Program& program)
      : maker_(maker), placement_(placement), groups_(groups), program_(program) {}

  // The whole program.
  void run(int32_t root) {
    make_room(root);
    write(root, {});
  }

  int32_t stream_of(const ir::Device& device, int32_t replica) {
    const ir::Device real(placement_.device(device) + replica * placement_.of_replica(), device.stream_name());
    int32_t& known =
        real.stream_name().empty() ? main_stream(real.index) : other_streams_.try_emplace(real, -1).first->second;
    if (known < 0) {
      known = static_cast<int32_t>(program_.streams.size());
      program_.streams.push_back({"D" + ir::to_string(real), use_of(real.index), {}});
    }
    return known;
  }

  int32_t use_of(int32_t device) {
    const auto [found, fresh] = uses_.emplace(device, static_cast<int32_t>(program_.devices.size()));
    if (fresh) program_.devices.push_back({device, placement_.place(device), Bytes(0)});
    return found->second;
  }

 private:
  // -1: not there yet.
  int32_t& main_stream(int32_t device) {
    const auto number = static_cast<size_t>(device);
    if (number >= main_streams_.size()) main_streams_.resize(number + 1, -1);
    return main_streams_[number];
  }

  // What a fragment comes to, its calls included.
  struct Size {
    size_t meetings = 0;                 // of all replicas
    std::map<ir::Device, size_t> items;  // of one, by device, as the fragment calls it
  };

  // Streams hold nearly all of a program's memory: room for what they need and no more.
  void make_room(int32_t root) {
    std::vector<Size> sizes;  // by fragment: callees stand before their callers
    for (const Fragment& fragment : maker_.fragments) sizes.push_back(size_of(fragment, sizes));
    const Size& whole = sizes[static_cast<size_t>(root)];
    std::map<int32_t, size_t> items;  // by stream
    for (int32_t replica = 0; replica < placement_.replicas(); ++replica) {
      for (const auto& [device, count] : whole.items) items[stream_of(device, replica)] += count;
    }
    double all = 0;
    for (const auto& [stream, count] : items) all += static_cast<double>(count);
    // Beside each item its times will be kept.
    check_memory(Bytes(all * (sizeof(stream::Item) + 2 * sizeof(double))),
                 [] { return std::string("the program, op by op,"); });
    for (const auto& [stream, count] : items) program_.streams[static_cast<size_t>(stream)].items.reserve(count);
    program_.instances.reserve(whole.meetings);
  }

  Size size_of(const Fragment& fragment, const std::vector<Size>& sizes) const {
    std::vector<size_t> own(fragment.devices.size());
    for (const ComputeStep& step : fragment.computes) ++own[static_cast<size_t>(step.device)];
    for (const Member& member : fragment.members) ++own[static_cast<size_t>(member.device)];
    Size size;
    for (const MeetingStep& step : fragment.meetings)
      size.meetings += step.of_all_replicas ? 1 : static_cast<size_t>(placement_.replicas());
    for (size_t i = 0; i < own.size(); ++i) size.items.emplace(fragment.devices[i], own[i]);
    for (const CallStep& call : fragment.calls) {
      const Size& callee = sizes[static_cast<size_t>(call.fragment)];
      size.meetings += callee.meetings;
      for (const auto& [device, count] : callee.items) size.items[outside(device, *call.map)] += count;
    }
    return size;
  }

  void write(int32_t number, const interpret::DeviceMap& map) {
    const Fragment& fragment           = maker_.fragments[static_cast<size_t>(number)];
    const std::vector<int32_t> streams = streams_of(fragment.devices, map);
    for (const Step& step : fragment.steps) {
      switch (step.kind) {
        case Step::Kind::compute: write(fragment.computes[static_cast<size_t>(step.index)], streams); break;
        case Step::Kind::meeting: write(fragment, fragment.meetings[static_cast<size_t>(step.index)], streams); break;
        case Step::Kind::call: write(fragment.calls[static_cast<size_t>(step.index)], map); break;
      }
    }
  }

  // What is on no device counts as on the first: of the program, or of a function where its devices have other names.
  static ir::Device outside(const ir::Device& device, const interpret::DeviceMap& map) {
    if (map.empty()) return device;
    return interpret::renamed(device.placed() ? device : ir::Device(1), map);
  }

  // Per replica those of `devices`.
  std::vector<int32_t> streams_of(const std::vector<ir::Device>& devices, const interpret::DeviceMap& map) {
    std::vector<int32_t> streams;
    streams.reserve(devices.size() * static_cast<size_t>(placement_.replicas()));
    for (int32_t replica = 0; replica < placement_.replicas(); ++replica) {
      for (const ir::Device& device : devices) streams.push_back(stream_of(outside(device, map), replica));
    }
    return streams;
  }

  std::vector<stream::Item>& items(int32_t stream) { return program_.streams[static_cast<size_t>(stream)].items; }

  void write(const ComputeStep& step, const std::vector<int32_t>& streams) {
    const size_t devices = streams.size() / static_cast<size_t>(placement_.replicas());
    for (auto i = static_cast<size_t>(step.device); i < streams.size(); i += devices)
      items(streams[i]).push_back({step.event, -1, step.memory});
  }

  // Its members are those of all replicas, or there is a meeting for each.
  void write(const Fragment& fragment, const MeetingStep& step, const std::vector<int32_t>& streams) {
    const auto replicas  = static_cast<size_t>(placement_.replicas());
    const size_t devices = streams.size() / replicas, together = step.of_all_replicas ? replicas : 1;
    for (size_t first = 0; first < replicas; first += together)
      meet(step.communication, fragment.of(step), std::span(streams).subspan(first * devices, together * devices),
           devices);
  }

  // `streams`: those of the fragment's `devices`, for each replica that takes part.
  void meet(int32_t communication, std::span<const Member> members, std::span<const int32_t> streams, size_t devices) {
    const auto number = static_cast<int32_t>(program_.instances.size());
    words_.clear();
    for (size_t replica = 0; replica < streams.size(); replica += devices) {
      for (const Member& member : members)
        words_.push_back(static_cast<uint64_t>(streams[replica + static_cast<size_t>(member.device)]));
    }
    const uint32_t group = group_numbers_.number(words_);
    if (group == met_.size()) met_.emplace_back(std::vector<int32_t>(words_.begin(), words_.end()));
    stream::Instance& instance = program_.instances.emplace_back(stream::Instance{communication, met_[group]});
    instance.communication     = chosen(communication, instance.members);
    for (size_t i = 0; i < instance.members.size(); ++i)
      items(instance.members[i]).push_back({instance.communication, number, members[i % members.size()].memory});
  }

  // The communication with the algorithm of the group that its members are.
  int32_t chosen(int32_t communication, const std::vector<int32_t>& members) {
    const auto kind = static_cast<size_t>(program_.communications[static_cast<size_t>(communication)].kind);
    for (const GroupAlgorithms& group : groups_) {
      if (group.algorithms[kind] == nullptr || !is_among(group, ranks(members))) continue;
      const auto [found, fresh] = chosen_.try_emplace({communication, group.algorithms[kind]},
                                                      static_cast<int32_t>(program_.communications.size()));
      if (fresh) {
        program_.communications.push_back(program_.communications[static_cast<size_t>(communication)]);
        program_.communications.back().algorithm = group.algorithms[kind];
      }
      return found->second;
    }
    return communication;
  }

  std::vector<int> ranks(const std::vector<int32_t>& members) const {
    std::vector<int> all;
    for (const int32_t member : members) {
      const stream::Stream& stream = program_.streams[static_cast<size_t>(member)];
      all.push_back(program_.devices[static_cast<size_t>(stream.device)].index - placement_.first());
    }
    return all;
  }

  void write(const CallStep& step, const interpret::DeviceMap& map) {
    if (step.map->empty()) return write(step.fragment, map);
    interpret::DeviceMap inner = *step.map;
    if (!map.empty()) {
      for (int32_t& device : inner) device = map[static_cast<size_t>(device - 1)];
    }
    write(step.fragment, inner);
  }

  const FragmentMaker& maker_;
  const Placement& placement_;
  const std::vector<GroupAlgorithms>& groups_;
  stream::Program& program_;
  std::map<std::pair<int32_t, const collective::AlgorithmDef*>, int32_t> chosen_;
  interpret::SequenceTable group_numbers_;
  std::vector<stream::Members> met_;  // by number in group_numbers_
  std::vector<uint64_t> words_;
  std::vector<int32_t> main_streams_;  // by device
  std::map<ir::Device, int32_t> other_streams_;
  std::map<int32_t, int32_t> uses_;
};

// What lives from the beginning: the parameters, tuples by their elements.
class Beginning {
 public:
  Beginning(const Placement& placement, Flattener& flattener, stream::Program& program, FragmentMaker& maker)
      : placement_(placement), flattener_(flattener), program_(program), maker_(maker) {}

  void add(size_t function, const ir::Function& code, size_t parameter, const ir::Type& type) {
    const stream::MemoryClass kind = maker_.class_of(function, parameter);
    add(code.values[parameter].name, kind, type, static_cast<int32_t>(parameter));
  }

 private:
  void add(const std::string& name, stream::MemoryClass kind, const ir::Type& type, int32_t slot) {
    if (type.is_tuple()) {
      for (const ir::Type& element : type.elements) add(name, kind, element, -1);
      return;
    }
    const int32_t device = placement_.device(type.device);
    for (int32_t replica = 0; replica < placement_.replicas(); ++replica) {
      const int32_t use = flattener_.use_of(device + replica * placement_.of_replica());
      program_.devices[static_cast<size_t>(use)].initial += ir::bytes_of(type);
    }
    maker_.storage().initial.push_back({device, slot, maker_.buffer(name, kind, ir::bytes_of(type))});
  }

  const Placement& placement_;
  Flattener& flattener_;
  stream::Program& program_;
  FragmentMaker& maker_;
};

}  // namespace

Lowered lower(const ir::Module& module, const interpret::MixedInterpretation& interpretation,
              const cost::CostModel& cost, const platform::Platform& platform, const Options& options) {
  return lower_replicas(module, interpretation, cost, platform, 1, options);
}

Lowered lower_replicas(const ir::Module& module, const interpret::MixedInterpretation& interpretation,
                       const cost::CostModel& cost, const platform::Platform& platform, int replicas,
                       const Options& options) {
  const auto& entry            = interpretation.entry();
  const ir::Function& function = module.functions[entry.function];
  const auto root_instance     = static_cast<int32_t>(interpretation.instances.size() - 1);
  ir::check_written_out(module, ir::kMostOpsWalked, "a simulation");
  Devices all_devices(interpretation);
  const std::set<ir::Device>& devices = all_devices.of(root_instance);
  const Placement placement(devices, platform, options, replicas);
  const auto [hardware, kinds] = kinds_of(platform, placement);
  FragmentMaker maker(module, interpretation, cost, hardware, options);
  const std::vector<bool> taken = taken_over(module, entry.function);
  const Boundary boundary{{taken.begin(), taken.end()}, std::vector<uint8_t>(function.results.size(), 1)};
  const int32_t root = maker.fragment(root_instance, boundary, kinds);

  Lowered lowered;
  lowered.program.communications = std::move(maker.communications);
  Flattener flattener(maker, placement, options.groups, lowered.program);
  for (int32_t replica = 0; replica < replicas; ++replica) {
    for (const ir::Device& device : devices) {  // in order of device, not of first use
      if (!ir::in_host_memory(device)) flattener.stream_of(device, replica);
    }
  }
  Beginning beginning(placement, flattener, lowered.program, maker);
  for (size_t i = 0; i < function.parameters.size(); ++i)
    beginning.add(entry.function, function, i, entry.values[i].type);
  flattener.run(root);
  lowered.program.computes       = std::move(maker.computes);
  lowered.program.memory_effects = std::move(maker.memory_effects);
  lowered.provenance             = std::move(maker.provenance);
  maker.storage().root           = root;
  maker.storage().first_device   = placement.first();
  maker.storage().of_replica     = replicas == 1 ? 0 : placement.of_replica();
  const auto storage             = std::make_shared<const stream::Storage>(std::move(maker.storage()));
  for (stream::DeviceUse& use : lowered.program.devices) use.storage = storage;
  return lowered;
}

}  // namespace foreflow::lower
