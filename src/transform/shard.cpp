#include <algorithm>
#include <map>

#include "foreflow/ir/builder.h"
#include "foreflow/ir/text.h"
#include "foreflow/transform/passes.h"
#include "caches.h"
#include "op_types.h"
#include "pass_arguments.h"
#include "shard_plan.h"

namespace foreflow::transform {
namespace {

std::string suffixed(const std::string& name, int way, int ways) {
  return name.empty() || ways == 1 ? name : name + "." + std::to_string(way + 1);
}

// Writes the planned program: every op once per way, on D1..Dways.
class Sharder {
 public:
  Sharder(const ir::Module& module, const ir::OpTable& ops, int ways, Results results)
      : module_(module),
        function_(module.entry()),
        interpretation_(interpret::interpret_mixed(module, module.functions.size() - 1)),
        values_(interpretation_.entry().values),
        plan_(plan_shards(module, function_, values_, ways)),
        ways_(ways),
        results_(results),
        builder_(function_.name, ops) {}

  Distributed run() {
    if (ways_ > 1 && plan_.split_weights == 0) {
      throw Error(module_.source + ": @" + function_.name,
                  "tensor parallelism of " + std::to_string(ways_) +
                      " splits no weight: no product has an output dimension that it divides");
    }
    copies_.resize(function_.values.size());
    is_result_.resize(function_.values.size());
    for (const ir::ValueId id : function_.results) is_result_[ir::index(id)] = true;
    for (size_t i = 0; i < function_.parameters.size(); ++i) parameter(i);
    for (size_t o = 0; o < function_.ops.size(); ++o) op(function_.ops[o], plan_.decisions[o]);
    std::vector<ir::ValueId> results;
    for (size_t i = 0; i < function_.results.size(); ++i) result(i, results);
    distributed_.module.source = module_.source;
    distributed_.module.functions.push_back(builder_.finish(std::move(results)));
    ir::verify(distributed_.module);
    return std::move(distributed_);
  }

 private:
  using Copies = std::vector<ir::ValueId>;  // one per way, or a single one on no device

  void parameter(size_t i) {
    const ir::Value& value = function_.values[i];
    for (int way = 0; way < ways_; ++way) {
      const ir::Type type = ir::moved(local_type(values_[i].type, plan_.layouts[i], ways_), ir::Device(way + 1));
      copies_[i][plan_.layouts[i]].push_back(
          builder_.parameter(suffixed(value.name, way, ways_), function_.parameters[i], type));
      distributed_.parameters.push_back({static_cast<int32_t>(i), plan_.layouts[i], ways_, way});
    }
  }

  void op(const ir::Op& op, const Decision& decision) {
    const auto inputs = function_.inputs(op);
    std::vector<const Copies*> operands;
    bool placed = ways_ == 1;
    for (size_t i = 0; i < inputs.size(); ++i) {
      operands.push_back(inputs[i] == ir::ValueId::none ? nullptr : &in_layout(inputs[i], decision.inputs[i]));
      placed = placed || (operands.back() != nullptr && operands.back()->size() > 1);
    }
    const OpTypes types(function_, op, values_);
    const auto attributes = builder_.share(local_attributes(types.call(), decision, types.outputs, ways_));
    std::vector<ir::ValueId> chosen(inputs.size());
    // A constant, and what is computed from constants alone, lives on no device; one copy serves all.
    for (int way = 0; way < (placed ? ways_ : 1); ++way) {
      for (size_t i = 0; i < inputs.size(); ++i) {
        const bool left_out = operands[i] == nullptr || (decision.once == static_cast<int32_t>(i) && way > 0);
        chosen[i] =
            left_out ? ir::ValueId::none : (*operands[i])[operands[i]->size() == 1 ? 0 : static_cast<size_t>(way)];
      }
      const ir::ValueId first = builder_.append(op.def, op.callee, attributes, chosen, op.result_count);
      for (uint32_t i = 0; i < op.result_count; ++i) {
        const auto id           = static_cast<ir::ValueId>(static_cast<int32_t>(first) + static_cast<int32_t>(i));
        const std::string& name = function_.values[op.first_result + i].name;
        builder_.set_name(id, placed ? suffixed(name, way, ways_) : name);
        copies_[op.first_result + i][plan_.layouts[op.first_result + i]].push_back(id);
      }
    }
    for (uint32_t i = 0; i < op.result_count; ++i) {
      const ir::ValueId id = function_.output(op, i);
      if (is_result_[ir::index(id)]) in_layout(id, returned(id));  // gathered where it is made, not at the end
    }
  }

  // The copies of a value in the layout that its next use needs; made when they are first needed.
  const Copies& in_layout(ir::ValueId id, const Layout& wanted) {
    auto& known      = copies_[ir::index(id)];
    const auto found = known.find(wanted);
    if (found != known.end()) return found->second;
    const Layout made = plan_.layouts[ir::index(id)];
    if (made.is_partial() && wanted.is_whole()) {
      return known[wanted] = builder_.emit("MPIAllreduce", known[made], {}, static_cast<size_t>(ways_));
    }
    if (made.is_split() && made.blocks == 1 && wanted.is_whole()) {
      return known[wanted] =
                 builder_.emit("MPIAllgather", known[made], {{"axis", int64_t{made.dim}}}, static_cast<size_t>(ways_));
    }
    FOREFLOW_CHECK(wanted.is_split() && wanted.blocks == 1,
                   "the plan asks only for sums and for parts of whole values");
    return known[wanted] = take_parts(id, wanted);
  }

  // Way i keeps the i-th part of what it has whole: a Slice, no message.
  Copies take_parts(ir::ValueId id, const Layout& wanted) {
    const Copies whole = in_layout(id, Layout::whole());
    const int64_t size = values_[ir::index(id)].type.dims[static_cast<size_t>(wanted.dim)] / ways_;
    Copies parts;
    for (int64_t way = 0; way < ways_; ++way) {
      const ir::ValueId own = whole[whole.size() == 1 ? 0 : static_cast<size_t>(way)];
      parts.push_back(builder_.op("Slice", {own},
                                  {{"axes", std::vector<int64_t>{wanted.dim}},
                                   {"starts", std::vector<int64_t>{way * size}},
                                   {"ends", std::vector<int64_t>{(way + 1) * size}}}));
    }
    return parts;
  }

  // The layout that a result is returned in.
  Layout returned(ir::ValueId id) const {
    const Layout& made = plan_.layouts[ir::index(id)];
    const bool gather  = made.is_split() && made.blocks == 1 && results_ == Results::gather && !stays(id);
    return made.is_partial() || gather ? Layout::whole() : made;
  }

  void result(size_t i, std::vector<ir::ValueId>& results) {
    const ir::ValueId id = function_.results[i];
    const Layout layout  = returned(id);
    const Copies& copies = in_layout(id, layout);
    const size_t count   = layout.is_whole() ? 1 : static_cast<size_t>(ways_);
    for (size_t way = 0; way < count; ++way) {
      results.push_back(copies[way]);
      distributed_.results.push_back({static_cast<int32_t>(i), layout, static_cast<int>(count), static_cast<int>(way)});
    }
  }

  // New weights and caches stay where they are used.
  bool stays(ir::ValueId id) const {
    const auto after = std::upper_bound(function_.ops.begin(), function_.ops.end(), ir::index(id),
                                        [](size_t value, const ir::Op& op) { return value < op.first_result; });
    return after != function_.ops.begin() && ir::index(id) >= function_.parameters.size() &&
           (std::prev(after)->def->role == ir::Role::optimizer || writes_cache(*std::prev(after)));
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const interpret::MixedInterpretation interpretation_;
  const interpret::Values<interpret::Mixed>& values_;
  const ShardPlan plan_;
  const int ways_;
  const Results results_;
  ir::FunctionBuilder builder_;
  std::vector<std::map<Layout, Copies>> copies_;  // per value
  std::vector<bool> is_result_;                   // per value
  Distributed distributed_;
};

}  // namespace

Distributed shard(const ir::Module& module, const ir::OpTable& ops, int ways, Results results) {
  const ir::Function& function = module.entry();
  for (const ir::Op& op : function.ops) {
    if (op.is_call()) throw Error(ir::describe(module, function, op), "shard works on a program without calls");
  }
  return Sharder(module, ops, ways, results).run();
}

namespace definitions {
PassDef shard() {
  return {"shard",
          "tensor parallelism over tp devices; results=split leaves split results where they are",
          {"tp", "results"},
          [](const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments) {
            const bool split = word_argument(arguments, "results", "gather") == "split";
            return transform::shard(module, ops, degree_argument(arguments, "tp", 1),
                                    split ? Results::leave_split : Results::gather)
                .module;
          }};
}
}  // namespace definitions

}  // namespace foreflow::transform
