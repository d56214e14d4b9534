// Writes out all replicas of a program of one replica. A function in which replicas communicate is called once for all
// of them, on the devices of all; any other function is called once for each:
//
//   func @f(%w, %x) {                                 func @f(%w.r1, %w.r2, %x.r1, %x.r2) {
//     %dw = @stage(%w, %x)                       ->     %dw.r1 = @stage(%w.r1, %x.r1)
//     %sum = MPIAllreduce[replicas = 2](%dw)            %dw.r2 = @stage[devices = [2]](%w.r2, %x.r2)
//     ..                                                %sum.r1, %sum.r2 = MPIAllreduce(%dw.r1, %dw.r2)
#include <algorithm>
#include <numeric>

#include "foreflow/base/nth.h"
#include "foreflow/interpret/interpreter.h"
#include "foreflow/ir/builder.h"
#include "foreflow/ir/call_devices.h"
#include "foreflow/ir/text.h"
#include "foreflow/transform/pieces.h"
#include "foreflow/transform/replica.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

bool of_all_replicas(const ir::Op& op) { return !op.is_call() && op.attributes->find(ir::kReplicas) != nullptr; }

class Unfolder {
 public:
  Unfolder(const OneReplica& replica, const ir::OpTable& ops)
      : replica_(replica),
        module_(replica.module),
        ways_(static_cast<size_t>(replica.ways)),
        ops_(ops),
        meet_(module_.functions.size()),
        devices_(module_.functions.size()),
        names_devices_(interpret::functions_naming_devices(module_)) {
    for (size_t f = 0; f < meet_.size(); ++f) {
      for (const ir::Op& op : module_.functions[f].ops)
        meet_[f] = meet_[f] || of_all_replicas(op) || (op.is_call() && nth(meet_, op.callee));
    }
    meet_.back() = true;
    number_devices();
  }

  Distributed run() {
    Distributed all;
    all.module.source = module_.source;
    for (size_t f = 0; f < module_.functions.size(); ++f)
      all.module.functions.push_back(meet_[f] ? of_all(f) : module_.functions[f]);
    for (size_t i = 0; i < replica_.parameters.size(); ++i) {
      for (int way = 0; way < replica_.ways; ++way)
        all.parameters.push_back(piece(static_cast<int32_t>(i), replica_.parameters[i], replica_.ways, way));
    }
    for (size_t i = 0; i < replica_.results.size(); ++i) {
      const OneReplica::Result& result = replica_.results[i];
      const int count                  = copies_of(i);
      for (int way = 0; way < count; ++way) {
        all.results.push_back(piece(result.source, result.held, count, way));
        all.results.back().dims = result.dims;
      }
    }
    ir::verify(all.module);
    return all;
  }

 private:
  static Piece piece(int32_t source, const OneReplica::Held& held, int ways, int way) {
    if (!held.layout.is_flat()) return {source, held.layout, ways, way};
    return {source, held.layout, held.ranks * ways, way * held.ranks + held.rank};
  }

  // Per function in which replicas communicate: the number of devices that a replica has in it. Those of the next
  // replica follow.
  void number_devices() {
    devices_.back() = replica_.devices;
    for (size_t f = module_.functions.size(); f-- > 0;) {
      if (!meet_[f]) continue;
      for (const ir::Op& op : module_.functions[f].ops) {
        if (!op.is_call() || !nth(meet_, op.callee)) continue;
        const std::vector<int64_t>* stated = ir::call_devices(op);
        const int32_t count                = stated == nullptr ? devices_[f] : static_cast<int32_t>(stated->size());
        int32_t& known                     = nth(devices_, op.callee);
        FOREFLOW_CHECK(known == 0 || known == count, "calls of a function are on equally many devices");
        known = count;
      }
    }
  }

  // The number of copies among the results. A whole result is returned by the first replica only.
  int copies_of(size_t result) const { return replica_.results[result].held.layout.is_whole() ? 1 : replica_.ways; }

  std::string name(const ir::Value& value, size_t way) const {
    return value.name.empty() || ways_ == 1 ? value.name : value.name + ".r" + std::to_string(way + 1);
  }

  ir::TypeRef annotation(const ir::TypeRef& type, size_t way) const {
    if (type == nullptr) return type;
    return std::make_shared<const ir::Type>(ir::moved(*type, in_replica(ir::device_of(*type), way)));
  }

  ir::Device in_replica(ir::Device device, size_t way) const {
    if (device.placed()) device.index += static_cast<int32_t>(way) * group_;
    return device;
  }

  ir::Function of_all(size_t f) {
    function_ = &module_.functions[f];
    group_    = devices_[f];
    ir::FunctionBuilder builder(function_->name, ops_);
    builder_ = &builder;
    copies_.assign(function_->values.size() * ways_, ValueId::none);
    placed_.assign(function_->values.size(), false);
    for (size_t i = 0; i < function_->parameters.size(); ++i) {
      const ir::Value& value = function_->values[i];
      placed_[i]             = true;
      for (size_t way = 0; way < ways_; ++way)
        copies_[i * ways_ + way] =
            builder.parameter(name(value, way), function_->parameters[i], annotation(value.annotation, way));
    }
    for (const ir::Op& op : function_->ops) {
      const bool meet   = op.is_call() ? nth(meet_, op.callee) : of_all_replicas(op);
      const bool placed = meet || is_placed(op);
      std::fill_n(placed_.begin() + op.first_result, op.result_count, placed);
      if (meet) {
        together(op);
      } else if (placed) {
        for (size_t way = 0; way < ways_; ++way) alone(op, way);
      } else {
        once(op);
      }
    }
    std::vector<ValueId> results;
    const bool entry = f + 1 == module_.functions.size();
    for (size_t i = 0; i < function_->results.size(); ++i) {
      const size_t count = entry ? static_cast<size_t>(copies_of(i)) : ways_;
      for (size_t way = 0; way < count; ++way) results.push_back(copy(function_->results[i], way));
    }
    return builder.finish(std::move(results));
  }

  ValueId copy(ValueId id, size_t way) const { return id == ValueId::none ? id : copies_[ir::index(id) * ways_ + way]; }

  void keep(size_t value, size_t way, ValueId made) {
    copies_[value * ways_ + way] = made;
    builder_->set_name(made, name(function_->values[value], way));
    builder_->annotate(made, annotation(function_->values[value].annotation, way));
  }

  // Returns false for an op that reads nothing that is on a device, as tables of positions are made.
  bool is_placed(const ir::Op& op) const {
    const auto inputs  = function_->inputs(op);
    const bool differs = op.is_call() || ir::names_devices(op) || op.attributes->find(ir::kOwnRow) != nullptr;
    return differs || std::any_of(inputs.begin(), inputs.end(),
                                  [&](ValueId id) { return id != ValueId::none && placed_[ir::index(id)]; });
  }

  size_t append(const ir::Op& op, size_t way) {
    std::vector<ValueId> operands;
    for (const ValueId id : function_->inputs(op)) operands.push_back(copy(id, way));
    return ir::index(builder_->append(op.def, op.callee, attributes(op, way), operands, op.result_count));
  }

  void alone(const ir::Op& op, size_t way) {
    const size_t first = append(op, way);
    for (uint32_t i = 0; i < op.result_count; ++i) keep(op.first_result + i, way, static_cast<ValueId>(first + i));
  }

  // An op on no device, whose copies would all count for the first device.
  void once(const ir::Op& op) {
    const size_t first = append(op, 0);
    for (uint32_t i = 0; i < op.result_count; ++i) {
      const size_t value = op.first_result + i;
      const auto made    = static_cast<ValueId>(first + i);
      std::fill_n(copies_.begin() + static_cast<std::ptrdiff_t>(value * ways_), ways_, made);
      builder_->set_name(made, function_->values[value].name);
      builder_->annotate(made, function_->values[value].annotation);
    }
  }

  ir::AttributesRef attributes(const ir::Op& op, size_t way) {
    if (!op.is_call() && op.attributes->find(ir::kOwnRow) != nullptr) {
      ir::Attributes own = *op.attributes;
      const int64_t row  = own.get_ints("starts")[0] + own.get_int(ir::kOwnRow) * static_cast<int64_t>(way);
      own.erase(ir::kOwnRow);
      own.set("starts", std::vector<int64_t>{row});
      own.set("ends", std::vector<int64_t>{row + 1});
      return builder_->share(std::move(own));
    }
    if (way == 0) return op.attributes;
    if (ir::names_devices(op))
      return builder_->share(ir::with_devices(op, [&](const ir::Device& device) { return in_replica(device, way); }));
    if (!op.is_call() || !nth(names_devices_, op.callee)) return op.attributes;
    std::vector<int64_t> devices(static_cast<size_t>(group_));
    std::iota(devices.begin(), devices.end(), static_cast<int64_t>(way) * group_ + 1);
    return builder_->share({{std::string(ir::kCallDevices), std::move(devices)}});
  }

  // A call gets each argument of all replicas, a collective all operands of each replica: its ranks are in their order.
  void together(const ir::Op& op) {
    const auto inputs      = function_->inputs(op);
    const size_t count     = op.is_call() ? op.result_count : inputs.size();
    const auto position_of = [&](size_t i, size_t way) { return op.is_call() ? i * ways_ + way : way * count + i; };
    std::vector<ValueId> operands(inputs.size() * ways_);
    for (size_t i = 0; i < inputs.size(); ++i) {
      for (size_t way = 0; way < ways_; ++way) operands[position_of(i, way)] = copy(inputs[i], way);
    }
    ir::Attributes attributes = *op.attributes;
    attributes.erase(ir::kReplicas);
    if (const std::vector<int64_t>* stated = ir::call_devices(op)) {
      std::vector<int64_t> devices;
      for (size_t way = 0; way < ways_; ++way) {
        for (const int64_t device : *stated) devices.push_back(device + static_cast<int64_t>(way) * group_);
      }
      attributes.set(std::string(ir::kCallDevices), std::move(devices));
    }
    const size_t first = ir::index(
        builder_->append(op.def, op.callee, builder_->share(std::move(attributes)), operands, op.result_count * ways_));
    for (uint32_t i = 0; i < op.result_count; ++i) {
      for (size_t way = 0; way < ways_; ++way)
        keep(op.first_result + i, way, static_cast<ValueId>(first + position_of(i, way)));
    }
  }

  const OneReplica& replica_;
  const ir::Module& module_;
  const size_t ways_;
  const ir::OpTable& ops_;
  std::vector<bool> meet_;        // per function
  std::vector<int32_t> devices_;  // per function in which replicas meet
  std::vector<bool> names_devices_;
  const ir::Function* function_ = nullptr;  // at hand
  ir::FunctionBuilder* builder_ = nullptr;
  int32_t group_                = 0;
  std::vector<ValueId> copies_;  // by value and replica
  std::vector<bool> placed_;     // per value: on a device, so replicas have copies of their own
};

}  // namespace

Distributed unfold(const OneReplica& replica, const ir::OpTable& ops) { return Unfolder(replica, ops).run(); }

}  // namespace foreflow::transform
