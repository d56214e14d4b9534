#include "foreflow/scenario/demand.h"

#include <algorithm>

#include "foreflow/ops/table.h"
#include "foreflow/simulate/alone.h"
#include "foreflow/transform/part_ops.h"

namespace foreflow::scenario {
namespace {

using transform::PartOp;

const ir::Device kFirst(1);

// One of each kind of hardware.
std::vector<const platform::Device*> hardware_of(const platform::Platform& platform) {
  std::vector<const platform::Device*> kinds;
  for (const platform::Device& device : platform.devices()) {
    const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const platform::Device* known) {
      return known->kind == device.kind && known->peaks == device.peaks && known->launch == device.launch &&
             known->memory_bandwidth == device.memory_bandwidth;
    });
    if (same == kinds.end()) kinds.push_back(&device);
  }
  return kinds;
}

// An op as one of `ways` equal parts of the batch has it.
struct LocalOp {
  LocalOp(const PartOp& op, int ways) : source(op) {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      inputs.push_back(local(op.inputs[i], op.decision.inputs[i], ways));
      known.push_back(op.known[i].get());
    }
    for (size_t i = 0; i < op.outputs.size(); ++i)
      outputs.push_back(local(op.outputs[i], op.decision.outputs[i], ways));
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
      : cost_(scenario.cost), hardware_(hardware_of(platform)) {}

  // Its compute on the fastest device, or its message's time where the cost model has a formula.
  Seconds time(const LocalOp& op) const {
    const cost::Application application = op.application();
    if (op.communicates()) {
      const auto ranks = static_cast<int>(std::max(op.inputs.size(), op.outputs.size()));
      return ranks < 2 ? Seconds(0) : std::max(cost_.communication(application, ranks), Seconds(0));
    }
    Seconds least = cost_.compute(application, *hardware_.front()).time;
    for (const platform::Device* device : hardware_) least = std::min(least, cost_.compute(application, *device).time);
    return least;
  }

 private:
  const cost::CostModel& cost_;
  const std::vector<const platform::Device*> hardware_;
};

Bytes bytes_of(const std::vector<ir::Type>& types) {
  Bytes sum;
  for (const ir::Type& type : types) {
    if (type.resolved()) sum += ir::bytes_of(type);
  }
  return sum;
}

// An operand may be there twice, and a result where an operand was.
Bytes working_set(const LocalOp& op) {
  if (op.communicates() || op.source.on_host) return Bytes(0);
  std::vector<ir::Type> distinct;
  for (const ir::Type& type : op.inputs) {
    if (std::find(distinct.begin(), distinct.end(), type) == distinct.end()) distinct.push_back(type);
  }
  return std::max(bytes_of(distinct), bytes_of(op.outputs));
}

Demand::Part part_of(const std::vector<PartOp>& ops, int ways, const Estimator& estimator) {
  Demand::Part part;
  for (const PartOp& op : ops) {
    if (op.runs != PartOp::Runs::for_every_part) continue;
    const LocalOp local(op, ways);
    (local.communicates() ? part.messages : part.compute) += static_cast<double>(op.count) * estimator.time(local);
    part.working_set = std::max(part.working_set, working_set(local));
  }
  return part;
}

void add_parameters(const ir::Function& function, Demand& demand) {
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ir::TypeRef& type = function.values[i].annotation;
    if (type == nullptr || !(ir::device_of(*type) == kFirst)) continue;
    const bool weight = function.parameters[i] == ir::ParameterRole::weight;
    (weight ? demand.weights : demand.data) += ir::bytes_of(*type);
  }
}

// Messages that the network must time, and the peak of memory, as the whole batch at once has them.
void add_lowered(const Scenario& scenario, const ir::Module& module, const platform::Platform& platform,
                 Demand& demand) {
  const auto interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  const stream::Program program =
      lower::lower(module, interpretation, scenario.cost, platform, lowering(scenario, platform)).program;
  std::map<int32_t, Message> messages;
  const auto first = [&](const stream::Stream& stream) {
    return program.devices[static_cast<size_t>(stream.device)].index == kFirst.index;
  };
  // Streams of one device free what others made: then only what is there from the beginning is certain.
  const bool alone = std::count_if(program.streams.begin(), program.streams.end(), first) == 1;
  for (const stream::Stream& stream : program.streams) {
    if (!first(stream)) continue;
    const stream::DeviceUse& device = program.devices[static_cast<size_t>(stream.device)];
    Bytes level = device.initial;
    Bytes peak  = level;
    for (const stream::Item& item : stream.items) {
      const stream::MemoryEffect& effect = program.memory_effects[static_cast<size_t>(item.memory)];
      if (alone) peak                    = std::max(peak, level + effect.peak);
      level += effect.net;
      if (item.instance < 0) continue;
      const stream::Communication& what = program.communications[static_cast<size_t>(item.event)];
      if (what.fixed >= Seconds(0)) continue;
      Message& message = messages[item.event];
      const auto ranks = program.instances[static_cast<size_t>(item.instance)].members.size();
      message          = {what.kind, what.algorithm, static_cast<int>(ranks),
                          what.bytes / static_cast<double>(demand.samples), message.count + 1};
    }
    demand.activations = std::max(demand.activations, peak - demand.weights);
  }
  for (const auto& [event, message] : messages) demand.messages.push_back(message);
}

// What of the program of one replica concerns its first device.
ir::Module flat(ir::Module module) {
  return module.functions.size() == 1 ? std::move(module) : transform::inline_calls(module);
}

}  // namespace

Demand demand_of(const Scenario& scenario, const platform::Platform& platform) {
  const Sequential sequential = build(scenario);
  const ir::Module module     = flat(distribute(sequential, scenario));
  Demand demand;
  demand.samples = sequential.samples;
  add_parameters(module.entry(), demand);
  add_lowered(scenario, module, platform, demand);
  const auto all                = static_cast<int>(demand.samples);
  const transform::PartOps cut  = transform::part_ops(module, all, kFirst);
  const Estimator estimator(scenario, platform);
  for (const PartOp& op : cut.ops) {
    if (op.runs == PartOp::Runs::for_every_part) continue;
    const Seconds time = static_cast<double>(op.count) * estimator.time(LocalOp(op, 1));
    (op.runs == PartOp::Runs::once ? demand.once : demand.whole) += time;
  }
  for (const ir::Type& type : cut.results) demand.result = std::max(demand.result, ir::bytes_of(type));
  for (const ir::Type& type : cut.sums) demand.gradients += ir::bytes_of(type);
  for (const int64_t count : divisors(demand.samples))
    demand.parts.emplace(count, part_of(cut.ops, static_cast<int>(all / count), estimator));
  return demand;
}

Seconds alone(const Message& message, Bytes bytes, const std::vector<int>& places, const platform::Platform& platform) {
  static const simulate::EngineDef& engine = simulate::engines().get("analytic", "engine");
  const auto task                          = stream::place(platform, *message.algorithm, message.kind, bytes, places).task;
  const bool supported                     = message.algorithm->supports_task(task);
  const auto& algorithm = supported ? *message.algorithm : collective::default_algorithm(message.kind);
  return simulate::run_alone(platform, algorithm, message.kind, bytes, places, engine).time;
}

Seconds least_all_reduce(const Scenario& scenario, Bytes bytes, const std::vector<int>& places,
                         const platform::Platform& platform) {
  const ir::OpDef& def = ops::table().get("MPIAllreduce", "ops");
  const ir::Type type  = ir::Type::tensor(ir::DType::f16, {static_cast<int64_t>(bytes.value() / 2)});
  const std::vector<ir::Type> types(places.size(), type);
  const std::vector<const ir::Array*> known(types.size(), nullptr);
  const ir::Attributes none;
  const auto ranks = static_cast<int>(places.size());
  const Seconds formula =
      scenario.cost.communication({{def, none, types, known, static_cast<uint32_t>(ranks)}, types}, ranks);
  if (formula >= Seconds(0)) return formula;
  constexpr auto kKind     = collective::Kind::all_reduce;
  const auto* const chosen = scenario.collectives.algorithms[static_cast<size_t>(kKind)];
  const auto& algorithm    = chosen != nullptr ? *chosen : collective::default_algorithm(kKind);
  return alone({kKind, &algorithm, ranks, bytes, 1}, bytes, places, platform);
}

Json to_json(const Demand& demand) {
  Json json, messages = Json::array(), parts = Json::array();
  for (const Message& message : demand.messages) {
    messages.push(Json::object()
                      .set("kind", static_cast<int>(message.kind))
                      .set("algorithm", message.algorithm->name)
                      .set("ranks", message.ranks)
                      .set("bytes", message.bytes.value())
                      .set("count", message.count));
  }
  for (const auto& [samples, part] : demand.parts) {
    parts.push(Json::object()
                   .set("samples", samples)
                   .set("compute", part.compute.value())
                   .set("messages", part.messages.value())
                   .set("working_set", part.working_set.value()));
  }
  json.set("samples", demand.samples).set("weights", demand.weights.value()).set("data", demand.data.value());
  json.set("result", demand.result.value()).set("activations", demand.activations.value());
  json.set("gradients", demand.gradients.value());
  json.set("once", demand.once.value()).set("whole", demand.whole.value());
  return json.set("messages", std::move(messages)).set("parts", std::move(parts));
}

Demand read_demand(const JsonView& json) {
  Demand demand;
  const auto bytes   = [&](std::string_view key) { return Bytes(json.at(key).as_number()); };
  demand.samples     = json.at("samples").as_int();
  demand.weights     = bytes("weights");
  demand.data        = bytes("data");
  demand.result      = bytes("result");
  demand.activations = bytes("activations");
  demand.gradients   = bytes("gradients");
  demand.once        = Seconds(json.at("once").as_number());
  demand.whole       = Seconds(json.at("whole").as_number());
  for (const JsonView& item : json.at("messages").items()) {
    demand.messages.push_back(
        {static_cast<collective::Kind>(item.at("kind").as_int()),
         &collective::algorithms().get(item.at("algorithm").as_string(), item.where()),
         static_cast<int>(item.at("ranks").as_int()), Bytes(item.at("bytes").as_number()), item.at("count").as_int()});
  }
  for (const JsonView& item : json.at("parts").items()) {
    demand.parts[item.at("samples").as_int()] = {Seconds(item.at("compute").as_number()),
                                                 Seconds(item.at("messages").as_number()),
                                                 Bytes(item.at("working_set").as_number())};
  }
  return demand;
}

}  // namespace foreflow::scenario
