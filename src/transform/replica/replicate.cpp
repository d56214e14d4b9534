// Writes out all replicas. The ops before the first exchange between replicas become a function, called once for each:
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

#include "foreflow/base/nth.h"
#include "foreflow/ir/builder.h"
#include "foreflow/ir/call_devices.h"
#include "foreflow/ir/verify.h"
#include "foreflow/transform/passes.h"
#include "foreflow/transform/pieces.h"
#include "foreflow/transform/replica.h"
#include "transform/layout/cut_shapes.h"
#include "transform/pass_arguments.h"
#include "transform/replica/early_sums.h"
#include "transform/replica/replica_function.h"
#include "transform/replica/sharing_replica.h"
#include "transform/replica/trained_weights.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

using Copies = std::vector<ValueId>;  // one per replica, or a single one on no device

class Replicator {
 public:
  // Writes all `ways` replicas, or the first of them alone.
  Replicator(ir::Module module, const LayoutInterpretation& layouts, const ir::OpTable& ops, int ways, int written)
      : module_(std::move(module)),
        function_(module_.entry()),
        values_(layouts.entry().values),
        ways_(ways),
        written_(written),
        judge_(ways),
        builder_(function_.name, ops),
        group_(devices_of_a_replica(values_)),
        placed_(function_.values.size()),
        names_devices_(interpret::functions_naming_devices(module_)) {}

  OneReplica run_one() {
    OneReplica one{{}, ways_, group_, {}, {}};
    Distributed made = run();
    one.module       = std::move(made.module);
    for (const Piece& piece : made.parameters) one.parameters.push_back({piece.layout});
    for (const Piece& piece : made.results) one.results.push_back({{piece.layout}, piece.source});
    return one;
  }

  Distributed run() {
    distributed_.parameters.reserve(static_cast<size_t>(written_) * function_.parameters.size());
    for (size_t i = 0; i < function_.parameters.size(); ++i) parameter(i);
    write_as_one(ops_before_a_sum());
    std::vector<ValueId> results;
    for (size_t i = 0; i < function_.results.size(); ++i) result(i, results);
    ir::Function entry = builder_.finish(std::move(results));
    ir::Function own   = std::move(module_.functions.back());
    module_.functions.pop_back();
    if (part_.ops > 0) {
      std::string name = unused_name(own.name + "_replica");
      module_.functions.push_back(replica_function(std::move(own), part_, std::move(name)));
    }
    module_.functions.push_back(std::move(entry));
    distributed_.module = std::move(module_);
    ir::verify(distributed_.module, ir::Names::unique);
    return std::move(distributed_);
  }

 private:
  static int32_t devices_of_a_replica(const interpret::Values<LaidOut>& values) {
    int32_t most = 1;
    for (const LaidOut& value : values) most = std::max(most, ir::device_of(value.value.type).index);
    return most;
  }

  // Writes the first `together` ops as one function.
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

  // The number of ops before the first one that needs a sum over the replicas. 0 if the program has a device D0, since
  // calls state devices from D1 on.
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

  // Calls function `function` once for each replica. The function is added to the module later.
  void call(size_t function, const std::vector<ValueId>& parameters, const std::vector<ValueId>& results) {
    const auto body = static_cast<int32_t>(function);
    for (int way = 0; way < written_; ++way) {
      std::vector<ValueId> arguments;
      for (const ValueId id : parameters) arguments.push_back(nth(copies_[ir::index(id)], way));
      const auto attributes = builder_.share({{std::string(ir::kCallDevices), devices_of(way)}});
      const size_t first    = ir::index(builder_.append(nullptr, body, attributes, arguments, results.size()));
      for (size_t i = 0; i < results.size(); ++i)
        add_copy(ir::index(results[i]), static_cast<ValueId>(first + i), way, true);
    }
  }

  // The devices of replica `way`, in the order of the devices of replica 0 that they correspond to.
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
    placed_[i] = true;
    for (int way = 0; way < written_; ++way) {
      const Layout layout  = values_[i].layout;
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
    const auto originals = function_.inputs(op);
    const bool placed    = std::any_of(originals.begin(), originals.end(),
                                       [this](ValueId id) { return id != ValueId::none && placed_[ir::index(id)]; });
    const int count      = placed ? written_ : 1;
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
    placed_[value] = placed;
    builder_.set_name(copy, placed ? name(function_.values[value], way) : function_.values[value].name);
    builder_.annotate(copy, annotation(function_.values[value].annotation, way));
  }

  // The operands of an op in the layouts that it needs. A sum over the replicas is emitted just before its first use,
  // so that ops that do not wait for it come first.
  std::vector<const Copies*> operands(const ir::Op& op) {
    std::vector<const Copies*> found;
    const auto inputs = function_.inputs(op);
    for (const ValueId id : inputs) found.push_back(id == ValueId::none ? nullptr : &copies_[ir::index(id)]);
    if (op.is_call() || ways_ == 1) return found;
    const Verdict& verdict = judge_(function_, op, values_);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == ValueId::none || values_[ir::index(inputs[i])].layout == verdict.decision.inputs[i]) continue;
      if (!values_[ir::index(inputs[i])].layout.is_partial())
        mixes_samples(module_, function_, op, values_, ways_, "replicas");
      found[i] = &sum(ir::index(inputs[i]));
    }
    return found;
  }

  // The attributes of the op for replica `way`: devices that it names, or that its callee names, become those of the
  // replica.
  ir::AttributesRef attributes(const ir::Op& op, int way) {
    if (way == 0) return op.attributes;
    if (op.is_call() && ir::call_devices(op) == nullptr && nth(names_devices_, op.callee))
      return builder_.share({{std::string(ir::kCallDevices), devices_of(way)}});
    if (!ir::names_devices(op)) return op.attributes;
    return builder_.share(ir::with_devices(op, [&](const ir::Device& device) { return in_replica(device, way); }));
  }

  const Copies& sum(size_t value) {
    Copies& sums = sums_[value];
    if (!sums.empty()) return sums;
    ir::Attributes attributes;
    if (written_ < ways_) attributes.set(std::string(ir::kReplicas), int64_t{ways_});
    return sums = builder_.emit("MPIAllreduce", copies_[value], std::move(attributes), copies_[value].size());
  }

  void result(size_t i, std::vector<ValueId>& results) {
    const size_t value   = ir::index(function_.results[i]);
    Layout layout        = values_[value].layout;
    const Copies& copies = layout.is_partial() && ways_ > 1 ? sum(value) : copies_[value];
    if (layout.is_partial()) layout = Layout::whole();
    const size_t count = layout.is_split() ? static_cast<size_t>(written_) : 1;
    for (size_t way = 0; way < count; ++way) {
      results.push_back(copies[way]);
      distributed_.results.push_back({static_cast<int32_t>(i), layout, static_cast<int>(count), static_cast<int>(way)});
    }
  }

  ir::Module module_;
  const ir::Function& function_;  // the entry of module_
  const interpret::Values<LaidOut>& values_;
  const int ways_, written_;  // the number of replicas, and of those that are written
  Judge judge_;
  ir::FunctionBuilder builder_;
  const int32_t group_;                    // devices of one replica
  std::vector<bool> placed_;               // per value: replicas have their own
  const std::vector<bool> names_devices_;  // per function of the module
  // Per value outside of the replica function, inside of which nearly all values are.
  std::unordered_map<size_t, Copies> copies_;
  ReplicaPart part_;                         // the part that becomes the replica function
  std::unordered_map<size_t, Copies> sums_;  // per partial value: its sum over the replicas, once it is needed
  Distributed distributed_;
};

}  // namespace

Distributed replicate(ir::Module module, const ir::OpTable& ops, const DataParallel& how) {
  if (how.shares()) return unfold(one_replica(module, ops, how), ops);
  const LayoutInterpretation layouts = interpret_layouts(module, how.ways, "replicas");
  module                             = with_cut_shapes(std::move(module), layouts, how.ways);
  return Replicator(std::move(module), layouts, ops, how.ways, how.ways).run();
}

OneReplica one_replica(ir::Module module, const ir::OpTable& ops, const DataParallel& how) {
  LayoutInterpretation layouts = interpret_layouts(module, how.ways, "replicas");
  module                       = with_cut_shapes(std::move(module), layouts, how.ways);
  if (how.shares()) {
    const auto take = [&](std::optional<ir::Module> rewritten) {
      if (!rewritten) return;
      module  = *std::move(rewritten);
      layouts = interpret_layouts(module, how.ways, "replicas");
    };
    take(with_separate_updates(module, layouts.entry().values, how.ways));
    if (how.sums_early())
      take(with_early_sums(module, trained_weights(module.entry(), layouts.entry().values, how.ways)));
    return sharing_replica(module, layouts, ops, how);
  }
  return Replicator(std::move(module), layouts, ops, how.ways, 1).run_one();
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

namespace definitions::replicate {
PassDef row() {
  return {"replicate",
          "data parallelism: dp copies of the program, gradients all-reduced; zero=1, 2 or 3 splits optimizer states, "
          "gradients, weights; bucket=25MB packs messages; overlap=comm gives them a stream of their own",
          {"dp", "zero", "bucket", "overlap"},
          [](const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments) {
            return transform::replicate(module, ops, data_parallel_arguments(arguments)).module;
          }};
}
}  // namespace definitions::replicate

}  // namespace foreflow::transform
