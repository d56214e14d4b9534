#include "foreflow/lower/lower.h"

#include <algorithm>
#include <map>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/ir/host_memory.h"
#include "foreflow/ir/replicas.h"
#include "foreflow/ir/written_out.h"
#include "foreflow/stream/name_marks.h"
#include "lower/caches.h"
#include "lower/devices.h"
#include "lower/fp8_copies.h"
#include "lower/fragment.h"
#include "lower/represented.h"

namespace foreflow::lower {
namespace {

static_assert(ir::kShardMark == stream::kShardMark && ir::kRankMark == stream::kRankMark);  // names of values

// The numbers of the devices of a program, which count from D1 or D0, and the platform devices that they are on.
class DeviceNumbering {
 public:
  DeviceNumbering(const std::set<ir::Device>& devices, const platform::Platform& platform, const Options& options,
                  int replicas, const ir::WrittenDevices& written)
      : places_(options.places), replicas_(replicas) {
    bool has_zero   = false;
    int32_t largest = 0;
    for (const ir::Device& device : devices) {
      has_zero = has_zero || device.index == 0;
      largest  = std::max(largest, device.index);
    }
    const int32_t first = has_zero ? 0 : 1;
    offset_             = -first;
    written_            = std::max(largest + offset_ + 1, 1);
    of_replica_         = written.count(written_);
    count_              = of_replica_ * replicas_;
    check_count(platform);
  }
  int32_t device(const ir::Device& device) const { return device.placed() ? device.index : -offset_; }
  int32_t place(int32_t device) const { return place_of_rank(device + offset_); }
  int32_t place_of_rank(int32_t rank) const { return places_.empty() ? rank : nth(places_, rank); }
  int32_t count() const { return count_; }
  int32_t first() const { return -offset_; }
  int32_t replicas() const { return replicas_; }
  int32_t of_replica() const { return of_replica_; }  // devices
  int32_t written() const { return written_; }        // devices of a replica that the module has

 private:
  void check_count(const platform::Platform& platform) const {
    const size_t available = places_.empty() ? platform.devices().size() : places_.size();
    if (static_cast<size_t>(count_) <= available) return;
    throw PartError("platform " + platform.name(), (places_.empty() ? "has " : "leaves to the placement ") +
                                                       std::to_string(available) + " devices; the program needs " +
                                                       std::to_string(count_) + "; add nodes or lower dp, tp or pp");
  }
  const std::vector<int>& places_;
  const int32_t replicas_;
  int32_t offset_     = 0;
  int32_t written_    = 1;
  int32_t of_replica_ = 1;
  int32_t count_      = 1;
};

// The distinct kinds of hardware among the devices that are used, and the kind of each device number.
std::pair<std::vector<const platform::Device*>, Kinds> kinds_of(const platform::Platform& platform,
                                                                const DeviceNumbering& placement) {
  std::vector<const platform::Device*> hardware;
  Kinds kinds(static_cast<size_t>(placement.first()), -1);
  for (int32_t i = 0; i < placement.written(); ++i) {  // the devices that they represent are of the same kind
    const platform::Device& device = platform.devices().like(static_cast<size_t>(placement.place_of_rank(i)));
    const auto same                = std::find_if(hardware.begin(), hardware.end(),
                                                  [&](const platform::Device* known) { return platform::same_speed(*known, device); });
    kinds.push_back(static_cast<int32_t>(same - hardware.begin()));
    if (same == hardware.end()) hardware.push_back(&device);
  }
  return {hardware, kinds};
}

// The buffers that are live from the beginning: the parameters, tuples by their elements.
class Beginning {
 public:
  Beginning(const DeviceNumbering& placement, stream::CompactProgram& program, FragmentMaker& maker)
      : placement_(placement), program_(program), maker_(maker) {}

  void add(size_t function, const ir::Function& code, size_t parameter, const ir::Type& type) {
    const stream::MemoryClass kind = maker_.class_of(function, parameter);
    add(code.values[parameter].name, kind, type, static_cast<int32_t>(parameter));
  }

  // Copies of a weight with a byte for each number.
  void add_fp8(const std::string& name, int copies, const ir::Type& type) {
    const int32_t device = placement_.device(type.device);
    const Bytes size(static_cast<double>(copies) * static_cast<double>(ir::element_count(type.dims)));
    device_of(device).initial += size;
    maker_.storage().initial.push_back(
        {device, -1, maker_.buffer(name + " in fp8", stream::MemoryClass::parameters, size)});
  }

  void add(const Input& input) {
    device_of(input.device).initial += input.size;
    maker_.storage().initial.push_back(
        {input.device, -1, maker_.buffer(input.name, stream::MemoryClass::data, input.size)});
  }

 private:
  void add(const std::string& name, stream::MemoryClass kind, const ir::Type& type, int32_t slot) {
    if (type.is_tuple()) {
      for (const ir::Type& element : type.elements) add(name, kind, element, -1);
      return;
    }
    const int32_t device = placement_.device(type.device);
    device_of(device).initial += ir::bytes_of(type);
    maker_.storage().initial.push_back({device, slot, maker_.buffer(name, kind, ir::bytes_of(type))});
  }

  stream::CompactProgram::Device& device_of(int32_t number) {
    if (numbers_.empty()) {
      for (const auto& device : program_.devices) numbers_.emplace(device.index, numbers_.size());
    }
    const auto [found, fresh] = numbers_.emplace(number, program_.devices.size());
    if (fresh) program_.devices.push_back({number, Bytes(0)});
    return program_.devices[found->second];
  }

  const DeviceNumbering& placement_;
  stream::CompactProgram& program_;
  FragmentMaker& maker_;
  std::map<int32_t, size_t> numbers_;  // of the program's devices
};

bool trains(const ir::Module& module) {
  return std::any_of(module.functions.begin(), module.functions.end(), [](const ir::Function& function) {
    return std::any_of(function.ops.begin(), function.ops.end(), [](const ir::Op& op) {
      return !op.is_call() && (op.def->role == ir::Role::loss_gradient || op.def->role == ir::Role::optimizer);
    });
  });
}

// The streams of a replica, in the order of their devices and not of their first use, and the devices.
void add_streams(const std::set<ir::Device>& devices, const DeviceNumbering& placement,
                 stream::CompactProgram& program) {
  std::set<std::pair<int32_t, std::string>> known;
  for (const ir::Device& device : devices) {
    if (ir::in_host_memory(device)) continue;
    const int32_t number = placement.device(device);
    const stream::CompactProgram::Lane lane{number, std::string(device.stream_name())};
    if (!known.emplace(number, lane.stream).second) continue;  // what is on no device is on the first
    program.streams.push_back(lane);
    if (program.devices.empty() || program.devices.back().index != number)
      program.devices.push_back({number, Bytes(0)});
  }
}

using Address = std::pair<int32_t, std::string>;  // device and stream

// Streams that only copy to the host, or receive with it, which are of no device of the module. In the order of
// devices, after the others.
void add_host_streams(stream::CompactProgram& program) {
  std::set<Address> known;
  for (const auto& lane : program.streams) known.emplace(lane.device, lane.stream);
  std::vector<std::set<Address>> of_procedures;  // callees stand before their callers
  for (const auto& procedure : program.procedures) {
    std::set<Address> all;
    for (const auto& lane : procedure.lanes) {
      if (lane.stream == ir::kToHost || lane.stream == ir::kReceiver) all.emplace(lane.device, lane.stream);
    }
    for (const auto& call : procedure.calls) {
      const std::set<Address>& inside = nth(of_procedures, call.procedure);
      if (inside.empty()) continue;
      const std::vector<int32_t> renaming = composed(program, call, {});
      for (const auto& [device, stream] : inside) all.emplace(program.outside(device, renaming), stream);
    }
    of_procedures.push_back(std::move(all));
  }
  std::set<Address> missing;
  for (const auto& [device, stream] : nth(of_procedures, program.root)) {
    const Address address(device == stream::CompactProgram::kNoDevice ? program.first_device : device, stream);
    if (!known.contains(address)) missing.insert(address);
  }
  for (const auto& [device, stream] : missing) program.streams.push_back({device, stream});
}

}  // namespace

Lowered lower(const ir::Module& module, const interpret::MixedInterpretation& interpretation,
              const cost::CostModel& cost, const platform::Platform& platform, const Options& options) {
  return lower_replicas(module, interpretation, cost, platform, 1, options);
}

namespace {

// Which device of the module says what each device of a replica holds; empty: each says it of itself.
std::vector<stream::Storage::Place> places_of(const ir::WrittenDevices& written, int32_t of_replica) {
  std::vector<stream::Storage::Place> places;
  for (int32_t device = 0; !written.all() && device < of_replica; ++device)
    places.push_back({written.written(device), written.shard_of(device), written.rank_of(device)});
  return places;
}

// By rank; none where no communication depends on them.
std::vector<int> nodes_of(const stream::CompactProgram& program, const platform::Platform& platform,
                          const DeviceNumbering& placement) {
  std::vector<int> nodes;
  const auto& all    = program.communications;
  const bool depends = std::any_of(all.begin(), all.end(), [](const auto& one) { return !one.measured.empty(); });
  for (int32_t rank = 0; depends && rank < placement.count(); ++rank)
    nodes.push_back(platform.node(placement.place_of_rank(rank)));
  return nodes;
}

// A compact program of what the module has, with its devices.
Lowered lowered_as_written(const ir::Module& module, const interpret::MixedInterpretation& interpretation,
                           const cost::CostModel& cost, const platform::Platform& platform, int replicas,
                           const ir::WrittenDevices& written, const Options& options) {
  const auto& entry            = interpretation.entry();
  const ir::Function& function = module.functions[entry.function];
  const auto root_instance     = static_cast<int32_t>(interpretation.instances.size() - 1);
  ir::check_written_out(module, ir::kMostOpsWalked, "a simulation");
  Devices all_devices(interpretation);
  const std::set<ir::Device>& devices = all_devices.of(root_instance);
  const DeviceNumbering placement(devices, platform, options, replicas, written);
  const auto [hardware, kinds] = kinds_of(platform, placement);
  FragmentMaker maker(module, interpretation, cost, hardware, {platform, placement.first()}, options);
  const std::vector<bool> taken = taken_over(module, entry.function);
  const Boundary boundary{{taken.begin(), taken.end()}, std::vector<uint8_t>(function.results.size(), 1)};
  const int32_t root = maker.fragment(root_instance, boundary, kinds);

  Lowered lowered;
  stream::CompactProgram& program = lowered.compact;
  add_streams(devices, placement, program);
  Beginning beginning(placement, program, maker);
  const std::vector<int> copies = fp8_copies(module);
  const bool keeps_weights      = trains(module);
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    ir::Type type = entry.values[i].type;
    if (copies[i] > 0 && !keeps_weights) type.dtype = ir::DType::f8;
    beginning.add(entry.function, function, i, type);
  }
  for (size_t i = 0; i < copies.size(); ++i) {
    const int beside = copies[i] - (keeps_weights ? 0 : 1);
    if (beside > 0) beginning.add_fp8(function.values[i].name, beside, entry.values[i].type);
  }
  for (const Input& input : options.inputs) beginning.add(input);
  program.computes       = std::move(maker.tables.computes);
  program.communications = std::move(maker.tables.communications);
  program.memory_effects = std::move(maker.tables.memory_effects);
  program.procedures     = std::move(maker.fragments);
  program.renamings      = std::move(maker.tables.renamings);
  program.root           = root;
  program.first_device   = placement.first();
  program.of_replica     = placement.of_replica();
  program.replicas       = replicas;
  program.places         = options.places;
  program.groups         = options.groups;
  program.nodes          = nodes_of(program, platform, placement);
  add_host_streams(program);
  lowered.provenance           = std::move(maker.tables.provenance);
  maker.storage().root         = root;
  maker.storage().first_device = placement.first();
  maker.storage().of_replica   = replicas == 1 ? 0 : placement.of_replica();
  maker.storage().places       = places_of(written, placement.of_replica());
  if (options.storage) program.storage = std::make_shared<const stream::Storage>(std::move(maker.storage()));
  return lowered;
}

}  // namespace

Lowered lower_replicas(const ir::Module& module, const interpret::MixedInterpretation& interpretation,
                       const cost::CostModel& cost, const platform::Platform& platform, int replicas,
                       const Options& options) {
  return lowered_as_written(module, interpretation, cost, platform, replicas, {}, options);
}

std::optional<Lowered> lower_written(const ir::Module& module, const interpret::MixedInterpretation& interpretation,
                                     const cost::CostModel& cost, const platform::Platform& platform, int replicas,
                                     const ir::WrittenDevices& written, const Options& options) {
  Lowered lowered = lowered_as_written(module, interpretation, cost, platform, replicas, written, options);
  auto all        = all_devices(lowered.compact, written);
  if (!all) return {};
  lowered.compact = *std::move(all);
  return lowered;
}

}  // namespace foreflow::lower
