#include "foreflow/scenario/events.h"

#include <map>
#include <set>
#include <utility>

#include "foreflow/base/nth.h"
#include "foreflow/cost/signature.h"
#include "foreflow/interpret/devices.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/host_memory.h"
#include "foreflow/ir/replicas.h"
#include "foreflow/lower/reshard_op.h"
#include "foreflow/stream/host_copy.h"
#include "scenario/distribution/distribute.h"
#include "scenario/events/event_groups.h"
#include "scenario/events/event_table.h"

namespace foreflow::scenario {
namespace {

using interpret::DeviceMap;
using Instance = interpret::Instance<interpret::Mixed>;

// The operands and results of an op in an instance whose devices a caller has renamed to those of the program.
struct Types {
  std::vector<ir::Type> inputs, outputs;
  std::vector<const ir::Array*> known;  // per input
  bool on_host = true;                  // all results are known before the run
};

Types types_of(const ir::Function& function, const ir::Op& op, const Instance& instance, const DeviceMap& map) {
  Types types;
  for (const ir::ValueId id : function.inputs(op)) {
    const bool absent = id == ir::ValueId::none;
    types.inputs.push_back(absent ? ir::Type() : interpret::renamed(instance.values[ir::index(id)].type, map));
    types.known.push_back(absent ? nullptr : instance.values[ir::index(id)].known.get());
  }
  for (uint32_t i = 0; i < op.result_count; ++i) {
    const interpret::Mixed& value = instance.values[op.first_result + i];
    types.outputs.push_back(interpret::renamed(value.type, map));
    types.on_host = types.on_host && value.known != nullptr;
  }
  return types;
}

// Walks the functions of a program from the entry to the callees, with the number of calls of each.
class Walk {
 public:
  Walk(const Scenario& scenario, const platform::Platform& platform, const ir::Module& module,
       const interpret::MixedInterpretation& meaning, Ranks ranks)
      : scenario_(scenario), platform_(platform), module_(module), meaning_(meaning), ranks_(std::move(ranks)) {}

  std::vector<Event> run() {
    // Callees stand before their callers, so every call of an instance is counted before the instance is visited.
    calls_.resize(meaning_.instances.size());
    calls_.back()[{}] = 1;
    for (size_t i = calls_.size(); i-- > 0;) {
      for (const auto& [map, count] : calls_[i]) visit(i, map, count);
    }
    return std::move(table_).sorted();
  }

 private:
  void visit(size_t number, const DeviceMap& map, int64_t count) {
    const Instance& instance     = meaning_.instances[number];
    const ir::Function& function = module_.functions[instance.function];
    for (size_t o = 0; o < function.ops.size(); ++o) {
      const ir::Op& op = function.ops[o];
      if (op.is_call()) {
        nth(calls_, instance.callee[o])[interpret::composed(instance.maps[o], map)] += count;
      } else if (op.def->reshards) {
        reshard(op, types_of(function, op, instance, map), map, count);
      } else if (op.def->role == ir::Role::communication) {
        message(op, types_of(function, op, instance, map), map, count);
      } else {
        compute(op, number, o, map, count);
      }
    }
  }

  const platform::Device& hardware(int32_t device) const {
    return platform_.devices().like(static_cast<size_t>(nth(ranks_.places, ranks_.rank(device))));
  }

  // The number of a device of the program. A value on no device counts as on the first of its function, which `map`
  // names, as in the lowered program.
  int32_t number_of(const ir::Device& device, const DeviceMap& map) const {
    if (device.placed()) return device.index;
    return map.empty() ? ranks_.first : map.front();
  }

  void compute(const ir::Op& op, size_t number, size_t o, const DeviceMap& map, int64_t count) {
    const Instance& instance     = meaning_.instances[number];
    const ir::Function& function = module_.functions[instance.function];
    ir::Device device;
    for (const ir::ValueId id : function.inputs(op)) {
      if (!device.placed() && id != ir::ValueId::none) device = ir::device_of(instance.values[ir::index(id)].type);
    }
    if (!device.placed() && op.result_count > 0) device = ir::device_of(instance.values[op.first_result].type);
    const int32_t at          = number_of(map.empty() ? device : interpret::renamed(device, map), map);
    const int kind            = platform_.device_kind(nth(ranks_.places, ranks_.rank(at)));
    const auto [found, fresh] = computes_.try_emplace({number, o, kind}, -1);
    if (fresh) found->second = priced(op, types_of(function, op, instance, {}), hardware(at));
    if (found->second < 0) return;
    table_.count(static_cast<size_t>(found->second), count * ranks_.represented(at) * ranks_.replicas);
  }

  // The number of the event; -1: nothing is launched.
  int64_t priced(const ir::Op& op, const Types& types, const platform::Device& device) {
    const cost::Application application{
        {*op.def, *op.attributes, types.inputs, types.known, op.result_count}, types.outputs, types.on_host};
    if (types.on_host) return -1;
    const ir::Work work = op.def->work(application.call, types.outputs);
    if (work.kernels == 0) return -1;
    Event event{.op        = std::string(op.def->name),
                .dtype     = std::string(cost::dtype_of(types.inputs, types.outputs)),
                .signature = cost::signature(application.call, types.outputs),
                .device    = device.kind,
                .flops     = work.flops,
                .read      = work.read,
                .written   = work.written};
    return static_cast<int64_t>(table_.number(std::move(event), [&](Event& made) {
      const cost::Price price = scenario_.cost.compute(application, device);
      made.time               = price.time;
      made.provenance         = std::string(cost::name(price.provenance));
    }));
  }

  void message(const ir::Op& op, const Types& types, const DeviceMap& map, int64_t count) {
    if (copies_host(types)) return copy_host(types, map, count);
    const auto group = lower::communication_of(op, types.inputs, types.outputs, scenario_.cost, scenario_.collectives);
    std::vector<int32_t> members;
    for (const ir::Device& device : group.members) {
      const int32_t number = number_of(device, map);
      if (members.empty() || members.back() != number) members.push_back(number);  // streams of one device hand over
    }
    if (members.size() < 2 && group.replicas < 2) return;
    const Together together{group.replicas > 1, op.attributes->find(ir::kShards) != nullptr,
                            op.attributes->find(ir::kRanks) != nullptr};
    add(group.what, cost::dtype_of(types.inputs, types.outputs), members, together, count);
  }

  void add(const stream::Communication& what, std::string_view dtype, const std::vector<int32_t>& members,
           const Together& together, int64_t count) {
    const std::vector<int> devices = group_of(ranks_, members, together);
    std::set<int> nodes;
    for (const int device : devices) nodes.insert(platform_.node(device));
    const auto ranks                   = static_cast<int>(devices.size());
    const stream::Communication placed = stream::on_nodes(what, static_cast<int>(nodes.size()));
    Event event{.op        = what.name,
                .dtype     = std::string(dtype),
                .signature = cost::message_signature(what.name, what.bytes, ranks),
                .scope     = nodes.size() > 1 ? Scope::inter_node : Scope::intra_node,
                .ranks     = ranks,
                .nodes     = static_cast<int>(nodes.size()),
                .message   = what.bytes};
    const size_t number = table_.number(std::move(event), [&](Event& made) {
      made.time       = time_alone(placed, devices, platform_);
      made.provenance = placed.priced_by.empty() ? "simulated" : placed.priced_by;
    });
    table_.count(number, count * (together.replicas ? 1 : ranks_.replicas) * count_of(ranks_, members, together));
  }

  static bool copies_host(const Types& types) {
    return !types.inputs.empty() && !types.outputs.empty() &&
           ir::in_host_memory(ir::device_of(types.inputs[0])) != ir::in_host_memory(ir::device_of(types.outputs[0]));
  }

  void copy_host(const Types& types, const DeviceMap& map, int64_t count) {
    const int32_t device = number_of(ir::device_of(types.inputs[0]), map);
    const bool out       = ir::in_host_memory(ir::device_of(types.outputs[0]));
    const std::string name(out ? stream::kCopyToHost : stream::kCopyFromHost);
    const Bytes bytes = ir::bytes_of(types.inputs[0]);
    Event event{.op        = name,
                .dtype     = std::string(cost::dtype_of(types.inputs, types.outputs)),
                .signature = cost::message_signature(name, bytes, 1),
                .scope     = Scope::host_copy,
                .message   = bytes};
    const size_t number = table_.number(std::move(event), [&](Event& made) {
      const stream::Communication what{name, collective::Kind::send,
                                       &collective::default_algorithm(collective::Kind::send), bytes};
      made.time       = time_alone(what, group_of(ranks_, {device}, {}), platform_);
      made.provenance = "simulated";
    });
    table_.count(number, count * ranks_.replicas * ranks_.represented(device));
  }

  void reshard(const ir::Op& op, const Types& types, const DeviceMap& map, int64_t count) {
    std::vector<int32_t> devices;
    for (const auto* side : {&types.inputs, &types.outputs}) {
      for (const ir::Type& type : *side) devices.push_back(number_of(ir::device_of(type), map));
    }
    lower::Options options = scenario_.collectives;
    options.places         = ranks_.places;
    const auto meetings =
        lower::reshard_meetings(op, types.inputs, types.outputs, scenario_.cost, {platform_, ranks_.first}, options);
    for (const lower::ReshardMeeting& meeting : meetings) {
      std::vector<int32_t> members;
      for (const size_t member : meeting.members) members.push_back(devices[member]);
      if (members.size() < 2 || meeting.what.bytes == Bytes(0)) continue;
      add(meeting.what, cost::dtype_of(types.inputs, types.outputs), members, {}, count);
    }
  }

  const Scenario& scenario_;
  const platform::Platform& platform_;
  const ir::Module& module_;
  const interpret::MixedInterpretation& meaning_;
  const Ranks ranks_;
  std::vector<std::map<DeviceMap, int64_t>> calls_;              // per instance: by its devices in the program
  std::map<std::tuple<size_t, size_t, int>, int64_t> computes_;  // by instance, op and kind of device; -1: none
  EventTable table_;
};

Ranks ranks_of(const AlikeReplicas& program, const interpret::MixedInterpretation& meaning, std::vector<int> places) {
  Ranks ranks{.places = std::move(places), .replicas = program.replicas, .written = program.written};
  int32_t largest = 0;
  for (const interpret::Mixed& value : meaning.entry().values) {
    const int32_t device = ir::device_of(value.type).index;
    if (device == 0) ranks.first = 0;
    largest = std::max(largest, device);
  }
  const int32_t written = largest - ranks.first + 1;
  ranks.of_replica      = program.written.count(written);
  return ranks;
}

}  // namespace

std::vector<Event> events(const Scenario& scenario, const PlatformRef& platform) {
  check_one_job(scenario);
  check_devices(scenario, *platform);
  const Sequential sequential = build(scenario);
  const Scenario resolved     = resolve(scenario, sequential, *platform).value();
  const AlikeReplicas program = try_distribute_alike(sequential, resolved, *platform, 0, true).value();
  const auto meaning          = interpret::interpret_mixed(program.module, program.module.functions.size() - 1);
  std::vector<int> at         = places(resolved, *platform);
  return Walk(resolved, *platform, program.module, meaning, ranks_of(program, meaning, std::move(at))).run();
}

}  // namespace foreflow::scenario
