#include <algorithm>

#include "foreflow/ir/builder.h"
#include "foreflow/ir/text.h"
#include "foreflow/transform/passes.h"
#include "layout_domain.h"
#include "pass_arguments.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

class Replicator {
 public:
  Replicator(const ir::Module& module, const ir::OpTable& ops, int ways)
      : module_(module),
        function_(module.entry()),
        layouts_(interpret_layouts(module, ways, "replicas")),
        values_(layouts_.entry().values),
        ways_(ways),
        builder_(function_.name, ops) {}

  Distributed run() {
    for (const LaidOut& value : values_) group_ = std::max(group_, ir::device_of(value.value.type).index);
    copies_.resize(function_.values.size());
    sums_.resize(function_.values.size());
    for (size_t i = 0; i < function_.parameters.size(); ++i) parameter(i);
    for (const ir::Op& op : function_.ops) write(op);
    std::vector<ValueId> results;
    for (size_t i = 0; i < function_.results.size(); ++i) result(i, results);
    distributed_.module = module_;
    distributed_.module.functions.back() = builder_.finish(std::move(results));
    ir::verify(distributed_.module);
    return std::move(distributed_);
  }

 private:
  using Copies = std::vector<ValueId>;  // one per replica, or a single one on no device

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
      const ir::Type local  = local_type(values_[i].value.type, values_[i].layout, ways_);
      ir::Device device     = ir::device_of(local);
      if (!device.placed()) device = ir::Device(1);
      copies_[i].push_back(builder_.parameter(name(function_.values[i], way), function_.parameters[i], ir::moved(local, in_replica(device, way))));
      distributed_.parameters.push_back({static_cast<int32_t>(i), values_[i].layout, ways_, way});
    }
  }

  void write(const ir::Op& op) {
    const std::vector<const Copies*> inputs = operands(op);
    std::vector<ValueId> chosen(inputs.size());
    const bool placed = std::any_of(inputs.begin(), inputs.end(), [](const Copies* copies) { return copies != nullptr && copies->size() > 1; });
    const int count = placed ? ways_ : 1;
    for (uint32_t i = 0; i < op.result_count; ++i) copies_[op.first_result + i].reserve(static_cast<size_t>(count));
    for (int way = 0; way < count; ++way) {
      for (size_t i = 0; i < inputs.size(); ++i) {
        chosen[i] = inputs[i] == nullptr ? ValueId::none : (*inputs[i])[inputs[i]->size() == 1 ? 0 : static_cast<size_t>(way)];
      }
      const auto first = static_cast<int32_t>(builder_.append(op.def, op.callee, attributes(op, way), chosen, op.result_count));
      for (uint32_t i = 0; i < op.result_count; ++i) {
        const size_t value = op.first_result + i;
        copies_[value].push_back(static_cast<ValueId>(first + static_cast<int32_t>(i)));
        builder_.set_name(copies_[value].back(), placed ? name(function_.values[value], way) : function_.values[value].name);
        builder_.annotate(copies_[value].back(), annotation(function_.values[value].annotation, way));
      }
    }
  }

  // The operands as the op needs them: sums over the replicas are taken just before their first use, so that whatever
  // does not wait for them goes first.
  std::vector<const Copies*> operands(const ir::Op& op) {
    std::vector<const Copies*> found;
    const auto inputs = function_.inputs(op);
    for (const ValueId id : inputs) found.push_back(id == ValueId::none ? nullptr : &copies_[ir::index(id)]);
    if (op.is_call() || ways_ == 1) return found;
    const Verdict verdict = judge(function_, op, values_, ways_);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == ValueId::none || values_[ir::index(inputs[i])].layout == verdict.decision.inputs[i]) continue;
      if (!values_[ir::index(inputs[i])].layout.is_partial()) mixes_samples(module_, function_, op, "replicas");
      found[i] = &sum(ir::index(inputs[i]));
    }
    return found;
  }

  // Devices that the op names move along with the replica.
  ir::AttributesRef attributes(const ir::Op& op, int way) {
    if (op.is_call() || op.def->role != ir::Role::communication || way == 0 || op.attributes->find("to") == nullptr) return op.attributes;
    ir::Attributes moved = *op.attributes;
    if (const auto* list = std::get_if<std::vector<int64_t>>(moved.find("to"))) {
      std::vector<int64_t> devices = *list;
      for (int64_t& device : devices) device += int64_t{way} * group_;
      moved.set("to", devices);
    } else {
      moved.set("to", in_replica(moved.get_device("to"), way));
    }
    return builder_.share(std::move(moved));
  }

  const Copies& sum(size_t value) {
    if (sums_[value].empty()) sums_[value] = builder_.emit("MPIAllreduce", copies_[value], {}, static_cast<size_t>(ways_));
    return sums_[value];
  }

  void result(size_t i, std::vector<ValueId>& results) {
    const size_t value = ir::index(function_.results[i]);
    Layout layout      = values_[value].layout;
    const Copies& copies = layout.is_partial() && ways_ > 1 ? sum(value) : copies_[value];
    if (layout.is_partial()) layout = Layout::whole();
    const size_t count = layout.is_split() ? static_cast<size_t>(ways_) : 1;
    for (size_t way = 0; way < count; ++way) {
      results.push_back(copies[way]);
      distributed_.results.push_back({static_cast<int32_t>(i), layout, static_cast<int>(count), static_cast<int>(way)});
    }
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const LayoutInterpretation layouts_;
  const interpret::Values<LaidOut>& values_;
  const int ways_;
  ir::FunctionBuilder builder_;
  int32_t group_ = 1;  // devices of one replica
  std::vector<Copies> copies_;  // per value
  std::vector<Copies> sums_;    // per partial value: its sum over the replicas, once it is needed
  Distributed distributed_;
};

}  // namespace

Distributed replicate(const ir::Module& module, const ir::OpTable& ops, int ways) { return Replicator(module, ops, ways).run(); }

namespace definitions {
PassDef replicate() {
  return {"replicate", "data parallelism: dp copies of the program, gradients all-reduced", {"dp"},
          [](const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments) {
            return transform::replicate(module, ops, degree_argument(arguments, "dp", 1)).module;
          }};
}
}  // namespace definitions

}  // namespace foreflow::transform
