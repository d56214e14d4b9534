// What the replicas do before they meet for the first time is one function, called once for each:
//
//   func @f(%w, %x) {              func @f_replica(%w, %x) {      // forward and backward, on D1 and D2
//     ..                             ..
//     %dw = MatMulGrad(..)    ->     return %dw
//     %w_1 = Optimizer(%w, %dw)    }
//     ..                           func @f(%w.r1, %w.r2, %x.r1, %x.r2) {
//                                    %dw.r1 = @f_replica[devices = [1, 2]](%w.r1, %x.r1)
//                                    %dw.r2 = @f_replica[devices = [3, 4]](%w.r2, %x.r2)
//                                    %a, %b = MPIAllreduce([%dw.r1, %dw.r2])
//                                    ..
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "foreflow/ir/builder.h"
#include "foreflow/ir/call_devices.h"
#include "foreflow/ir/text.h"
#include "foreflow/transform/passes.h"
#include "pass_arguments.h"
#include "replica_exchange.h"
#include "replica_function.h"
#include "sections.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

class Replicator {
 public:
  Replicator(ExchangePlan plan, const LayoutInterpretation& layouts, const ir::OpTable& ops, const DataParallel& how)
      : plan_(std::move(plan)),
        module_(plan_.module),
        function_(module_.entry()),
        values_(layouts.entry().values),
        ways_(how.ways),
        judge_(how.ways),
        builder_(function_.name, ops),
        group_(devices_of_a_replica(values_)),
        names_devices_(interpret::functions_naming_devices(module_)),
        exchange_(plan_, how, {builder_, function_, values_, copies_, how.ways, group_}) {}

  Distributed run() {
    for (size_t i = 0; i < function_.parameters.size(); ++i) parameter(i);
    const size_t together = ops_before_a_sum();
    if (plan_.empty()) {
      write_as_one(together);
    } else {
      write_between_exchanges(together);
    }
    std::vector<ValueId> results;
    for (size_t i = 0; i < function_.results.size(); ++i) result(i, results);
    ir::Function entry = builder_.finish(std::move(results));
    ir::Function own   = std::move(module_.functions.back());
    module_.functions.pop_back();
    if (part_.ops > 0) {
      std::string name = unused_name(own.name + "_replica");
      module_.functions.push_back(replica_function(std::move(own), part_, std::move(name)));
    }
    for (ir::Function& section : sections_) module_.functions.push_back(std::move(section));
    module_.functions.push_back(std::move(entry));
    distributed_.module = std::move(module_);
    ir::verify(distributed_.module);
    return std::move(distributed_);
  }

 private:
  static int32_t devices_of_a_replica(const interpret::Values<LaidOut>& values) {
    int32_t most = 1;
    for (const LaidOut& value : values) most = std::max(most, ir::device_of(value.value.type).index);
    return most;
  }

  // All ops before the first sum are one function.
  void write_as_one(size_t together) {
    part_ = replica_part(function_, together);
    for (const size_t o : part_.ops_for_all) write(function_.ops[o]);
    if (part_.ops > 0) call(module_.functions.size() - 1, parameters_of(part_), part_.results);
    for (size_t o = part_.ops; o < function_.ops.size(); ++o) write(function_.ops[o]);
  }

  static std::vector<ValueId> parameters_of(const ReplicaPart& part) {
    std::vector<ValueId> ids;
    for (const size_t i : part.parameters) ids.push_back(static_cast<ValueId>(i));
    return ids;
  }

  // What lies between two exchanges is a function.
  void write_between_exchanges(size_t together) {
    Cuts cuts{{}, together, needed_from(together)};
    for (const size_t o : exchange_.places()) {
      if (o > 0 && o < together) cuts.before.push_back(o);
    }
    std::vector<Section> sections;
    if (together > 0) sections = cut(function_, cuts, unused_name(function_.name + "_replica"));
    const std::vector<bool> for_all = computed_for_all(cuts);
    exchange_.at(0);
    for (size_t s = 0; s < sections.size(); ++s) {
      const size_t begin = s == 0 ? 0 : cuts.before[s - 1], end = s < cuts.before.size() ? cuts.before[s] : together;
      if (begin > 0) exchange_.at(begin);
      for (size_t o = begin; o < end; ++o) {
        if (for_all[o] || end == begin + 1) write(function_.ops[o]);
      }
      if (end == begin + 1) continue;
      call(module_.functions.size() - 1 + sections_.size(), sections[s].parameters, sections[s].results);
      sections_.push_back(std::move(sections[s].function));
    }
    for (size_t o = together; o < function_.ops.size(); ++o) {
      if (o > 0 && exchange_.places().contains(o)) exchange_.at(o);
      if (!exchange_.writes(o)) write(function_.ops[o]);
    }
    if (exchange_.places().contains(function_.ops.size())) exchange_.at(function_.ops.size());
  }

  // Per value: read by ops from `first` on, or exchanged.
  std::vector<bool> needed_from(size_t first) const {
    std::vector<bool> needed(function_.values.size());
    for (size_t o = first; o < function_.ops.size(); ++o) {
      for (const ValueId id : function_.inputs(function_.ops[o])) {
        if (id != ValueId::none) needed[ir::index(id)] = true;
      }
    }
    for (const Bucket& bucket : plan_.buckets) {
      for (const ValueId id : bucket.gradients) needed[ir::index(id)] = true;
    }
    return needed;
  }

  // Per op: on no device, and read by what is written once for all: what is in no function, and results.
  std::vector<bool> computed_for_all(const Cuts& cuts) const {
    const std::vector<bool> placed = depend_on_parameters(function_);
    std::vector<bool> read(function_.values.size()), computed(function_.ops.size());
    for (const ValueId id : function_.results) read[ir::index(id)] = true;
    for (size_t o = function_.ops.size(); o-- > 0;) {
      const ir::Op& op     = function_.ops[o];
      const auto next      = std::upper_bound(cuts.before.begin(), cuts.before.end(), o);
      const size_t end     = next == cuts.before.end() ? cuts.end : *next;
      const size_t begin   = next == cuts.before.begin() ? 0 : *std::prev(next);
      const bool by_itself = o >= cuts.end || end == begin + 1;
      for (uint32_t i = 0; i < op.result_count; ++i) {
        const size_t value = op.first_result + i;
        computed[o]        = computed[o] || (!by_itself && !placed[value] && read[value]);
      }
      if (!computed[o] && !by_itself) continue;
      for (const ValueId id : function_.inputs(op)) {
        if (id != ValueId::none) read[ir::index(id)] = true;
      }
    }
    return computed;
  }

  // How many ops run before the first that needs a sum over the replicas. A call states devices from D1.
  size_t ops_before_a_sum() {
    const bool from_zero = std::any_of(values_.begin(), values_.end(),
                                       [](const LaidOut& value) { return ir::device_of(value.value.type).index == 0; });
    if (ways_ == 1 || from_zero) return 0;
    size_t o = 0;
    while (o < function_.ops.size() &&
           (function_.ops[o].is_call() || judge_(function_, function_.ops[o], values_).as_it_arrives))
      ++o;
    return o;
  }

  std::string unused_name(std::string name) const {
    while (module_.find(name) != nullptr || name == function_.name) name += "_";
    return name;
  }

  // Of the function that will have this number, once for each replica.
  void call(size_t function, const std::vector<ValueId>& parameters, const std::vector<ValueId>& results) {
    const auto body = static_cast<int32_t>(function);
    for (int way = 0; way < ways_; ++way) {
      std::vector<ValueId> arguments;
      for (const ValueId id : parameters) arguments.push_back(copies_[ir::index(id)][static_cast<size_t>(way)]);
      const auto attributes = builder_.share({{std::string(ir::kCallDevices), devices_of(way)}});
      const size_t first    = ir::index(builder_.append(nullptr, body, attributes, arguments, results.size()));
      for (size_t i = 0; i < results.size(); ++i)
        add_copy(ir::index(results[i]), static_cast<ValueId>(first + i), way, true);
    }
  }

  // By their number in the first replica.
  std::vector<int64_t> devices_of(int way) const {
    std::vector<int64_t> devices(static_cast<size_t>(group_));
    std::iota(devices.begin(), devices.end(), int64_t{way} * group_ + 1);
    return devices;
  }

  ir::Device in_replica(ir::Device device, int way) const {
    if (device.placed()) device.index += way * group_;
    return device;
  }

  std::string name(const ir::Value& value, int way) const {
    return value.name.empty() || ways_ == 1 ? value.name : value.name + ".r" + std::to_string(way + 1);
  }

  ir::TypeRef annotation(const ir::TypeRef& type, int way) const {
    if (type == nullptr) return type;
    return std::make_shared<const ir::Type>(ir::moved(*type, in_replica(ir::device_of(*type), way)));
  }

  void parameter(size_t i) {
    for (int way = 0; way < ways_; ++way) {
      const Layout layout  = exchange_.is_flat(static_cast<ValueId>(i)) ? Layout::flat() : values_[i].layout;
      const ir::Type local = local_type(values_[i].value.type, layout, ways_);
      ir::Device device    = ir::device_of(local);
      if (!device.placed()) device = ir::Device(1);
      copies_[i].push_back(builder_.parameter(name(function_.values[i], way), function_.parameters[i],
                                              ir::moved(local, in_replica(device, way))));
      distributed_.parameters.push_back({static_cast<int32_t>(i), layout, ways_, way});
    }
  }

  void write(const ir::Op& op) {
    const std::vector<const Copies*> inputs = operands(op);
    std::vector<ValueId> chosen(inputs.size());
    const bool placed = std::any_of(inputs.begin(), inputs.end(),
                                    [](const Copies* copies) { return copies != nullptr && copies->size() > 1; });
    const int count   = placed ? ways_ : 1;
    for (int way = 0; way < count; ++way) {
      for (size_t i = 0; i < inputs.size(); ++i) {
        chosen[i] =
            inputs[i] == nullptr ? ValueId::none : (*inputs[i])[inputs[i]->size() == 1 ? 0 : static_cast<size_t>(way)];
      }
      const size_t first = ir::index(builder_.append(op.def, op.callee, attributes(op, way), chosen, op.result_count));
      for (uint32_t i = 0; i < op.result_count; ++i)
        add_copy(op.first_result + i, static_cast<ValueId>(first + i), way, placed);
    }
  }

  void add_copy(size_t value, ValueId copy, int way, bool placed) {
    copies_[value].push_back(copy);
    builder_.set_name(copy, placed ? name(function_.values[value], way) : function_.values[value].name);
    builder_.annotate(copy, annotation(function_.values[value].annotation, way));
  }

  // The operands as the op needs them: sums over the replicas are taken just before their first use, so that whatever
  // does not wait for them goes first.
  std::vector<const Copies*> operands(const ir::Op& op) {
    std::vector<const Copies*> found;
    const auto inputs = function_.inputs(op);
    for (const ValueId id : inputs) found.push_back(id == ValueId::none ? nullptr : &copies_[ir::index(id)]);
    if (op.is_call() || ways_ == 1) return found;
    const Verdict& verdict = judge_(function_, op, values_);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == ValueId::none || values_[ir::index(inputs[i])].layout == verdict.decision.inputs[i]) continue;
      if (!values_[ir::index(inputs[i])].layout.is_partial()) mixes_samples(module_, function_, op, "replicas");
      found[i] = &sum(ir::index(inputs[i]));
    }
    return found;
  }

  // Devices that the op names, or the function that it calls, move along with the replica.
  ir::AttributesRef attributes(const ir::Op& op, int way) {
    if (way == 0) return op.attributes;
    if (op.is_call() && ir::call_devices(op) == nullptr && names_devices_[static_cast<size_t>(op.callee)])
      return builder_.share({{std::string(ir::kCallDevices), devices_of(way)}});
    if (!ir::names_devices(op)) return op.attributes;
    return builder_.share(ir::with_devices(op, [&](const ir::Device& device) { return in_replica(device, way); }));
  }

  const Copies& sum(size_t value) {
    if (sums_[value].empty())
      sums_[value] = builder_.emit("MPIAllreduce", copies_[value], {}, static_cast<size_t>(ways_));
    return sums_[value];
  }

  void result(size_t i, std::vector<ValueId>& results) {
    const size_t value = ir::index(function_.results[i]);
    if (exchange_.is_flat(function_.results[i])) return flat_result(i, results);
    Layout layout        = values_[value].layout;
    const Copies& copies = layout.is_partial() && ways_ > 1 ? sum(value) : copies_[value];
    if (layout.is_partial()) layout = Layout::whole();
    const size_t count = layout.is_split() ? static_cast<size_t>(ways_) : 1;
    for (size_t way = 0; way < count; ++way) {
      results.push_back(copies[way]);
      distributed_.results.push_back({static_cast<int32_t>(i), layout, static_cast<int>(count), static_cast<int>(way)});
    }
  }

  void flat_result(size_t i, std::vector<ValueId>& results) {
    const size_t value = ir::index(function_.results[i]);
    for (int way = 0; way < ways_; ++way) {
      results.push_back(copies_[value][static_cast<size_t>(way)]);
      distributed_.results.push_back(
          {static_cast<int32_t>(i), Layout::flat(), ways_, way, values_[value].value.type.dims});
    }
  }

  ExchangePlan plan_;
  ir::Module& module_;
  const ir::Function& function_;  // the entry of module_
  const interpret::Values<LaidOut>& values_;
  const int ways_;
  Judge judge_;
  ir::FunctionBuilder builder_;
  const int32_t group_;  // devices of one replica
  const std::vector<bool> names_devices_;  // per function of the module
  // Per value that is not the replica function's own, which nearly all are.
  std::unordered_map<size_t, Copies> copies_;
  ReplicaExchange exchange_;
  ReplicaPart part_;                         // what is one function
  std::vector<ir::Function> sections_;       // what lies between exchanges
  std::unordered_map<size_t, Copies> sums_;  // per partial value: its sum over the replicas, once it is needed
  Distributed distributed_;
};

}  // namespace

Distributed replicate(ir::Module module, const ir::OpTable& ops, const DataParallel& how) {
  LayoutInterpretation layouts = interpret_layouts(module, how.ways, "replicas");
  ExchangePlan plan            = plan_exchange(std::move(module), layouts, how);
  if (!plan.empty()) layouts = interpret_layouts(plan.module, how.ways, "replicas");
  return Replicator(std::move(plan), layouts, ops, how).run();
}

namespace {

DataParallel data_parallel_arguments(const PassArguments& arguments) {
  DataParallel how{.ways = degree_argument(arguments, "dp", 1)};
  const int64_t zero = integer_argument(arguments, "zero", 0);
  if (zero < 0 || zero > 3)
    throw Error("--pass replicate: zero", std::to_string(zero) + " is no stage of ZeRO; use 0, 1, 2 or 3");
  const std::string overlap = word_argument(arguments, "overlap", "none");
  if (overlap != "none" && overlap != "comm")
    throw Error("--pass replicate: overlap", "\"" + overlap + "\" is not known; use comm, or leave it out");
  how.zero    = static_cast<int>(zero);
  how.overlap = overlap == "comm";
  how.bucket  = parse_bytes(word_argument(arguments, "bucket", "0B"), "--pass replicate: bucket");
  return how;
}

}  // namespace

namespace definitions {
PassDef replicate() {
  return {"replicate",
          "data parallelism: dp copies of the program, gradients all-reduced; zero=1, 2 or 3 splits optimizer states, "
          "gradients, weights; bucket=25MB packs messages; overlap=comm gives them a stream of their own",
          {"dp", "zero", "bucket", "overlap"},
          [](const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments) {
            return transform::replicate(module, ops, data_parallel_arguments(arguments)).module;
          }};
}
}  // namespace definitions

}  // namespace foreflow::transform
