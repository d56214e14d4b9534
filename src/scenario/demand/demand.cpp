#include "foreflow/scenario/demand.h"

#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/lower/communication.h"
#include "foreflow/lower/pointwise.h"
#include "foreflow/ops/table.h"
#include "foreflow/platform/by_node.h"
#include "foreflow/transform/part_ops.h"
#include "foreflow/transform/simplify.h"
#include "foreflow/transform/split_data.h"
#include "foreflow/transform/stage_model.h"
#include "scenario/demand/demand_ops.h"
#include "scenario/distribution/before_pipeline.h"
#include "scenario/distribution/distribute.h"
#include "scenario/distribution/replica_program.h"

namespace foreflow::scenario {
namespace {

using transform::PartOp;

const ir::Device kFirst(1);

// One device of each kind of hardware.
std::vector<const platform::Device*> hardware_of(const platform::Platform& platform) {
  std::vector<const platform::Device*> kinds;
  for (const platform::Device& device : platform.devices().kinds()) {
    const auto same = std::find_if(kinds.begin(), kinds.end(),
                                   [&](const platform::Device* known) { return platform::same_speed(*known, device); });
    if (same == kinds.end()) kinds.push_back(&device);
  }
  return kinds;
}

// The op as it is applied to one of `ways` equal parts of the batch. `shards` above 0: two of so many are written. The
// operands and results of a communication are on the devices that they have among all; those of the second shard in a
// message of shards stand for those of all that follow.
struct LocalOp {
  LocalOp(const PartOp& op, int ways, int shards) : source(op) {
    const ir::WrittenDevices written{.shards = shards};
    const bool of_shards = op.op->attributes->find(ir::kShards) != nullptr;
    const auto add       = [&](const ir::Type& type, const transform::Layout& layout, std::vector<ir::Type>& types) {
      const ir::Device device = ir::device_of(type);
      types.push_back(local(type, layout, ways));
      if (!communicates() || shards == 0 || !device.placed()) return;
      const int32_t first = written.first(device.index - 1) + 1;
      types.back()        = ir::moved(types.back(), ir::Device(first, device.stream_name()));
      for (int copy = 1; of_shards && copy < written.copies(device.index - 1); ++copy)
        types.push_back(ir::moved(types.back(), ir::Device(first + copy)));
    };
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      add(op.inputs[i], op.decision.inputs[i], inputs);
      known.resize(inputs.size(), op.known[i].get());
    }
    for (size_t i = 0; i < op.outputs.size(); ++i) add(op.outputs[i], op.decision.outputs[i], outputs);
    attributes = *op.op->attributes;
    if (ways == 1) return;
    std::vector<const ir::Array*> none(op.inputs.size(), nullptr);
    const ir::OpCall whole{*op.op->def, *op.op->attributes, op.inputs, none, op.op->result_count};
    attributes = transform::local_attributes(whole, op.decision, op.outputs, ways);
  }

  cost::Application application() const {
    return {{*source.op->def, attributes, inputs, known, source.op->result_count}, outputs, source.on_host};
  }
  bool communicates() const { return source.op->def->role == ir::Role::communication; }

  const PartOp& source;
  std::vector<ir::Type> inputs, outputs;
  std::vector<const ir::Array*> known;
  ir::Attributes attributes;

 private:
  static ir::Type local(const ir::Type& type, const transform::Layout& layout, int ways) {
    return layout.is_split() ? transform::local_type(type, layout, ways) : type;
  }
};

class Estimator {
 public:
  Estimator(const Scenario& scenario, const platform::Platform& platform)
      : cost_(scenario.cost), fuses_(scenario.strategy.fuses), hardware_(hardware_of(platform)) {}

  // Time on the fastest device; for a communication, the time by the cost model's formula if it has one.
  Seconds time(const LocalOp& op) const {
    const cost::Application application = op.application();
    if (op.communicates()) {
      const auto ranks = static_cast<int>(std::max(op.inputs.size(), op.outputs.size()));
      return ranks < 2 ? Seconds(0) : cost_.communication(application, ranks).anywhere.value_or(cost::Price()).time;
    }
    const Seconds alone = least(application);
    if (!fuses_) return alone;
    const auto joined = lower::joined_at_best(application);
    return joined ? std::min(alone, least(*joined)) : alone;
  }

 private:
  Seconds least(const cost::Application& application) const {
    Seconds least = cost_.compute(application, *hardware_.front()).time;
    for (const platform::Device* device : hardware_) least = std::min(least, cost_.compute(application, *device).time);
    return least;
  }

  const cost::CostModel& cost_;
  const bool fuses_;
  const std::vector<const platform::Device*> hardware_;
};

Bytes bytes_of(const std::vector<ir::Type>& types) {
  Bytes sum;
  for (const ir::Type& type : types) {
    if (type.resolved()) sum += ir::bytes_of(type);
  }
  return sum;
}

// Two operands may be the same value, and a result may reuse the memory of an operand.
Bytes working_set(const LocalOp& op) {
  if (op.communicates() || op.source.on_host) return Bytes(0);
  std::vector<ir::Type> distinct;
  for (const ir::Type& type : op.inputs) {
    if (std::find(distinct.begin(), distinct.end(), type) == distinct.end()) distinct.push_back(type);
  }
  return std::max(bytes_of(distinct), bytes_of(op.outputs));
}

std::optional<Message> message_of(const LocalOp& op, const Scenario& scenario) {
  auto message = network_message(*op.source.op, op.inputs, op.outputs, scenario);
  if (message) message->count = op.source.count;
  return message;
}

// A sum of the gradient of a weight over ranks that hold copies of it, which takes place once, however few samples
// there are.
bool is_of_copies(const PartOp& op) { return op.op->attributes->find(transform::kOfCopies) != nullptr; }

Demand::Part part_of(const std::vector<PartOp>& ops, int ways, int shards, const Scenario& scenario,
                     const Estimator& estimator) {
  Demand::Part part;
  for (const PartOp& op : ops) {
    if (op.runs != PartOp::Runs::for_every_part || is_of_copies(op)) continue;
    const LocalOp local(op, ways, shards);
    if (may_hide(*local.source.op)) continue;
    (local.communicates() ? part.messages : part.compute) += static_cast<double>(op.count) * estimator.time(local);
    part.working_set = std::max(part.working_set, working_set(local));
    if (!local.communicates()) continue;
    if (auto message = message_of(local, scenario)) part.network.push_back(std::move(*message));
  }
  return part;
}

// Lower bound of the memory of a weight. With fp8 in inference it is one byte for each number, which is too little for
// weights that stay in another type.
Bytes held(const ir::Type& weight, const Scenario& scenario) {
  const bool fp8 = scenario.workload.fp8 && !scenario.workload.trains() && weight.is_tensor();
  return fp8 ? Bytes(static_cast<double>(ir::element_count(weight.dims))) : ir::bytes_of(weight);
}

void add_parameters(const ir::Function& function, const Scenario& scenario, Demand& demand) {
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ir::TypeRef& type = function.values[i].annotation;
    if (type == nullptr || !(ir::device_of(*type) == kFirst)) continue;
    const bool weight = function.parameters[i] == ir::ParameterRole::weight;
    (weight ? demand.weights : demand.data) += weight ? held(*type, scenario) : ir::bytes_of(*type);
  }
}

// Merges messages among the same devices: a single message takes no longer than several with the same bytes in total.
// Measured times are those of single messages.
void add_sum(const Message& message, std::vector<Message>& sums) {
  if (!message.measured.empty()) return sums.push_back(message);
  auto known = std::find_if(sums.begin(), sums.end(), [&](const Message& other) {
    return other.measured.empty() && other.kind == message.kind && other.algorithm == message.algorithm &&
           other.ranks == message.ranks;
  });
  if (known == sums.end()) known = sums.insert(sums.end(), {message.kind, message.algorithm, message.ranks, {}, 1});
  known->bytes += static_cast<double>(message.count) * message.bytes;
}

// The peak of memory when the whole batch is one microbatch.
void add_peak(const Scenario& scenario, const ir::Module& module, const platform::Platform& platform, Demand& demand) {
  const auto interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  const stream::Program program =
      lower::lower(module, interpretation, scenario.cost, platform, lowering(scenario, platform)).program();
  const auto first = [&](const stream::Stream& stream) {
    return nth(program.devices, stream.device).index == kFirst.index;
  };
  // If the device has several streams, one may free what another has allocated, so only the memory at the start is
  // certain.
  const bool alone = std::count_if(program.streams.begin(), program.streams.end(), first) == 1;
  for (const stream::Stream& stream : program.streams) {
    if (!first(stream)) continue;
    const stream::DeviceUse& device = nth(program.devices, stream.device);
    Bytes level                     = device.initial;
    Bytes peak                      = level;
    for (const stream::Item& item : stream.items) {
      const stream::MemoryEffect& effect = nth(program.memory_effects, item.memory);
      if (alone) peak = std::max(peak, level + effect.peak);
      level += effect.net;
    }
    demand.activations = std::max(demand.activations, peak - demand.weights);
  }
}

// Adds the activations that the forward pass leaves for the backward pass.
void add_held(std::shared_ptr<const ir::Module> module, int shards, Demand& demand) {
  const auto& schedule = schedule::schedules().get("1f1b", "schedule");
  const transform::StageModel::Price nothing{.alone = [](const auto&, auto) { return Seconds(0); }};
  transform::StageModel model(std::move(module), ops::table(), false, 1, {.shards = shards}, nothing);
  const transform::StageNeed& whole = model.needs({.schedule = &schedule, .size = {}}, model.add_prices({})).front();
  demand.states                     = whole.states;
  demand.held                       = whole.held;
  demand.backward_set               = whole.peaks.working_set;
}

std::shared_ptr<const ir::Module> flat(const ReplicaProgramRef& program) {
  if (program->module.functions.size() == 1) return {program, &program->module};
  return std::make_shared<const ir::Module>(transform::inline_calls(program->module));
}

std::shared_ptr<const ir::Module> flat(ir::Module module) {
  return std::make_shared<const ir::Module>(module.functions.size() == 1 ? std::move(module)
                                                                         : transform::inline_calls(module));
}

}  // namespace

const collective::AlgorithmDef& algorithm_of(const Scenario& scenario, collective::Kind kind,
                                             const std::vector<int>& ranks) {
  const auto row = static_cast<size_t>(kind);
  if (const auto* own = stream::algorithm_among(scenario.collectives.groups, kind, ranks); own != nullptr) return *own;
  const auto* const chosen = scenario.collectives.algorithms[row];
  return chosen != nullptr ? *chosen : collective::default_algorithm(kind);
}

std::optional<Message> network_message(const ir::Op& op, const std::vector<ir::Type>& inputs,
                                       const std::vector<ir::Type>& outputs, const Scenario& scenario) {
  const lower::GroupCommunication group =
      lower::communication_of(op, inputs, outputs, scenario.cost, scenario.collectives);
  if (group.what.fixed) return std::nullopt;
  std::vector<int> ranks;
  for (const ir::Device& member : group.members) ranks.push_back(member.index - kFirst.index);
  // Data that one stream of a device hands over to another cross no link.
  if (std::all_of(ranks.begin(), ranks.end(), [&](int rank) { return rank == ranks.front(); })) return std::nullopt;
  const auto& algorithm = algorithm_of(scenario, group.what.kind, ranks);
  return Message{group.what.kind, &algorithm, std::move(ranks), group.what.bytes, 1, group.what.measured};
}

bool may_hide(const ir::Op& op) { return op.def->communication == ir::Communication::shift; }

Demand demand_of(const Scenario& asked, const platform::Platform& platform) {
  return demand_of(asked, build(asked), platform);
}

Demand demand_of(const Scenario& asked, const Sequential& sequential, const platform::Platform& platform) {
  const Scenario scenario = resolve(asked, sequential, platform).value();
  // The peak of a training step is found without lowering the program, which takes long for large groups.
  const bool trains = scenario.workload.trains() && !sequential.placed;
  SharedPrograms shared;
  const auto one =
      trains ? unpipelined(sequential, scenario, {.shards = shards_before_pipeline(scenario.strategy)}, &shared).value()
             : ReplicaProgramRef();
  const int shards  = trains ? one->written.shards : 0;
  auto group        = trains ? flat(one) : nullptr;
  const auto module = shards > 0 ? group : flat(try_distribute(sequential, scenario, platform, shared).value());
  Demand demand;
  demand.samples = sequential.samples / transform::replicas_in_group(scenario.strategy.cp, scenario.strategy.ep);
  add_parameters(module->entry(), scenario, demand);
  if (trains)
    add_held(std::move(group), shards, demand);
  else
    add_peak(scenario, *module, platform, demand);
  const auto all               = static_cast<int>(demand.samples);
  const transform::PartOps cut = transform::part_ops(*module, all, kFirst);
  const Estimator estimator(scenario, platform);
  for (const PartOp& op : cut.ops) {
    const bool copies = is_of_copies(op);
    if (op.runs == PartOp::Runs::for_every_part && !copies) continue;
    const LocalOp whole(op, 1, shards);
    if (may_hide(*whole.source.op)) continue;
    const bool once    = copies || op.runs == PartOp::Runs::once;
    const Seconds time = static_cast<double>(op.count) * estimator.time(whole);
    if (copies) demand.of_copies.gradients += static_cast<double>(op.count) * ir::bytes_of(whole.inputs[0]);
    (copies ? demand.of_copies.time : once ? demand.once : demand.whole) += time;
    if (!once || !whole.communicates()) continue;
    if (const auto message = message_of(whole, scenario))
      add_sum(*message, copies ? demand.of_copies.sums : demand.sums);
  }
  for (const ir::Type& type : cut.results) demand.result = std::max(demand.result, ir::bytes_of(type));
  for (const ir::Type& type : cut.sums) demand.gradients += ir::bytes_of(type);
  for (const int64_t count : divisors(demand.samples))
    demand.parts.emplace(count, part_of(cut.ops, static_cast<int>(all / count), shards, scenario, estimator));
  return demand;
}

Seconds alone(const Message& message, const simulate::NumberedGroup& group, simulate::TimesAlone& times) {
  const size_t nodes = message.measured.empty() ? 0 : platform::by_node(times.platform(), group.places).size();
  for (const stream::TimeOnNodes& one : message.measured) {
    if (static_cast<size_t>(one.nodes) == nodes && one.time) return *one.time;
  }
  return times.of(group, *message.algorithm, message.kind, message.bytes);
}

namespace {

// The price of an all-reduce of `bytes` by the cost model.
cost::MessagePrice price_of_all_reduce(const Scenario& scenario, Bytes bytes, size_t ranks) {
  const ir::OpDef& def = ops::table().get("MPIAllreduce", "ops");
  const ir::Type type  = ir::Type::tensor(ir::DType::f16, {static_cast<int64_t>(bytes.value() / 2)});
  const std::vector<ir::Type> types(ranks, type);
  const std::vector<const ir::Array*> known(ranks, nullptr);
  const ir::Attributes none;
  return scenario.cost.communication({{def, none, types, known, static_cast<uint32_t>(ranks)}, types},
                                     static_cast<int>(ranks));
}

}  // namespace

std::optional<Message> network_message(const Scenario& scenario, collective::Kind kind, Bytes bytes,
                                       const std::vector<int>& ranks) {
  const cost::MessagePrice price = price_of_all_reduce(scenario, bytes, ranks.size());
  if (price.anywhere || !price.measured.empty()) return std::nullopt;
  return Message{kind, &algorithm_of(scenario, kind, ranks), ranks, bytes, 1};
}

Seconds least_all_reduce(const Scenario& scenario, Bytes bytes, const std::vector<int>& ranks,
                         const simulate::NumberedGroup& group, simulate::TimesAlone& times) {
  const auto nodes = static_cast<int>(platform::by_node(times.platform(), group.places).size());
  if (const auto price = price_of_all_reduce(scenario, bytes, group.places.size()).on(nodes)) return price->time;
  constexpr auto kKind = collective::Kind::all_reduce;
  return alone({kKind, &algorithm_of(scenario, kKind, ranks), ranks, bytes, 1}, group, times);
}

}  // namespace foreflow::scenario
