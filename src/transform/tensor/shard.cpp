#include <algorithm>
#include <utility>

#include "foreflow/base/refusal.h"
#include "foreflow/ir/builder.h"
#include "foreflow/ir/replicas.h"
#include "foreflow/ir/text.h"
#include "foreflow/transform/passes.h"
#include "foreflow/transform/pieces.h"
#include "foreflow/transform/simplify.h"
#include "foreflow/transform/tensor.h"
#include "transform/layout/caches.h"
#include "transform/layout/reshard_row.h"
#include "transform/layout/reshard_value.h"
#include "transform/pass_arguments.h"
#include "transform/rewrite/op_types.h"
#include "transform/tensor/shard_notes.h"
#include "transform/tensor/shard_plan.h"
#include "transform/tensor/vocabulary.h"

namespace foreflow::transform {
namespace {

// Writes the planned program: every op once per way, on D1 .. D`written`.
class Sharder {
 public:
  Sharder(const ir::Module& module, const ir::OpTable& ops, int ways, int written, const Sharding& sharding)
      : module_(module),
        function_(module_.entry()),
        interpretation_(interpret::interpret_mixed(module_, module_.functions.size() - 1)),
        values_(interpretation_.entry().values),
        plan_(plan_shards(module_, function_, values_, ways, sharding)),
        ways_(ways),
        written_(written),
        sharding_(sharding),
        builder_(function_.name, ops),
        reshard_(builder_, ways, written),
        vocabulary_(builder_, ways, written) {}

  // Whether the ways that are written say what the others do.
  bool says_all() const { return written_ == ways_ || !reshard_.took_unplaced(); }

  Distributed run() {
    check_splits();
    copies_.resize(function_.values.size());
    is_result_.resize(function_.values.size());
    for (const ir::ValueId id : function_.results) is_result_[ir::index(id)] = true;
    for (size_t i = 0; i < function_.parameters.size(); ++i) parameter(i);
    for (size_t o = 0; o < function_.ops.size(); ++o) op(function_.ops[o], plan_.decisions[o], plan_.by_vocabulary[o]);
    std::vector<ir::ValueId> results;
    for (size_t i = 0; i < function_.results.size(); ++i) result(i, results);
    distributed_.module.source = module_.source;
    distributed_.module.functions.push_back(builder_.finish(std::move(results)));
    ir::verify(distributed_.module);
    return std::move(distributed_);
  }

 private:
  void check_splits() const {
    if (ways_ == 1) return;
    const std::string where = module_.source + ": @" + function_.name, ways = std::to_string(ways_);
    if (plan_.split_weights == 0) {
      throw RefusalError(
          Cause::program, where,
          "tensor parallelism of " + ways + " splits no weight: no product has an output dimension that it divides");
    }
    if (sharding_.sequence && plan_.split_activations == 0) {
      throw RefusalError(
          Cause::program, where,
          "sequence parallelism of " + ways + " splits no activation: none is a sum with a sequence that it divides");
    }
  }

  std::string suffixed(const std::string& name, int way) const {
    if (name.empty() || ways_ == 1) return name;
    const bool stands_for_more = way > 0 && written_ < ways_;
    return name + "." + (stands_for_more ? std::string(1, ir::kShardMark) : std::to_string(way + 1));
  }

  void parameter(size_t i) {
    const ir::Value& value = function_.values[i];
    for (int way = 0; way < written_; ++way) {
      const ir::Type type = ir::moved(local_type(values_[i].type, plan_.layouts[i], ways_), ir::Device(way + 1));
      copies_[i][plan_.layouts[i]].push_back(
          builder_.parameter(suffixed(value.name, way), function_.parameters[i], type));
      distributed_.parameters.push_back({static_cast<int32_t>(i), plan_.layouts[i], ways_, way});
    }
  }

  void op(const ir::Op& op, const Decision& decision, bool by_vocabulary) {
    if (op.def->role == ir::Role::loss_gradient && !std::exchange(backward_, true) && sharding_.sequence)
      forget_gathered();
    const auto inputs = function_.inputs(op);
    std::vector<const Copies*> operands;
    bool placed = ways_ == 1;
    for (size_t i = 0; i < inputs.size(); ++i) {
      operands.push_back(inputs[i] == ir::ValueId::none ? nullptr : &in_layout(inputs[i], decision.inputs[i]));
      placed = placed || (operands.back() != nullptr && operands.back()->size() > 1);
    }
    const OpTypes types(function_, op, values_);
    if (by_vocabulary) {
      const Layout& made             = plan_.layouts[op.first_result];
      copies_[op.first_result][made] = vocabulary_.write(function_, op, types.call(), operands);
      return in_result_layouts(op);
    }
    const auto attributes = builder_.share(local_attributes(types.call(), decision, types.outputs, ways_));
    std::vector<ir::ValueId> chosen(inputs.size());
    // A constant, and what is computed from constants alone, lives on no device; one copy serves all.
    for (int way = 0; way < (placed ? written_ : 1); ++way) {
      for (size_t i = 0; i < inputs.size(); ++i) {
        const bool left_out = operands[i] == nullptr || (decision.once == static_cast<int32_t>(i) && way > 0);
        chosen[i] =
            left_out ? ir::ValueId::none : (*operands[i])[operands[i]->size() == 1 ? 0 : static_cast<size_t>(way)];
      }
      const ir::ValueId first = builder_.append(op.def, op.callee, attributes, chosen, op.result_count);
      for (uint32_t i = 0; i < op.result_count; ++i) {
        const auto id           = static_cast<ir::ValueId>(static_cast<int32_t>(first) + static_cast<int32_t>(i));
        const std::string& name = function_.values[op.first_result + i].name;
        builder_.set_name(id, placed ? suffixed(name, way) : name);
        copies_[op.first_result + i][plan_.layouts[op.first_result + i]].push_back(id);
      }
    }
    in_result_layouts(op);
  }

  // Results are gathered where they are made, not at the end.
  void in_result_layouts(const ir::Op& op) {
    for (uint32_t i = 0; i < op.result_count; ++i) {
      const ir::ValueId id = function_.output(op, i);
      if (is_result_[ir::index(id)]) in_layout(id, returned(id));
    }
  }

  // The copies of a value in the layout that its next use needs; made when they are first needed.
  const Copies& in_layout(ir::ValueId id, const Layout& wanted) {
    const size_t value = ir::index(id);
    return reshard_(copies_[value], plan_.layouts[value], wanted, values_[value].type);
  }

  // Backward gathers again what forward gathered along the sequence, so that only parts are kept until then.
  void forget_gathered() {
    for (size_t i = 0; i < copies_.size(); ++i) {
      const bool parts =
          std::any_of(copies_[i].begin(), copies_[i].end(), [](const auto& entry) { return entry.first.is_split(); });
      if (parts && !plan_.layouts[i].is_whole()) copies_[i].erase(Layout::whole());
    }
  }

  // The layout that a result is returned in.
  Layout returned(ir::ValueId id) const {
    const Layout& made = plan_.layouts[ir::index(id)];
    const bool gather  = made.is_split() && sharding_.results == Results::gather && !stays(id);
    return made.is_partial() || gather ? Layout::whole() : made;
  }

  void result(size_t i, std::vector<ir::ValueId>& results) {
    const ir::ValueId id = function_.results[i];
    const Layout layout  = returned(id);
    add_result(results, distributed_.results, i, layout, in_layout(id, layout), written_);
  }

  // New weights and caches stay where they are used.
  bool stays(ir::ValueId id) const {
    const auto after = std::upper_bound(function_.ops.begin(), function_.ops.end(), ir::index(id),
                                        [](size_t value, const ir::Op& op) { return value < op.first_result; });
    return after != function_.ops.begin() && ir::index(id) >= function_.parameters.size() &&
           (std::prev(after)->def->role == ir::Role::optimizer || ir::writes_rows(*std::prev(after)));
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const interpret::MixedInterpretation interpretation_;
  const interpret::Values<interpret::Mixed>& values_;
  const ShardPlan plan_;
  const int ways_, written_;
  const Sharding& sharding_;
  ir::FunctionBuilder builder_;
  Resharder reshard_;
  VocabularyWriter vocabulary_;
  bool backward_ = false;        // the loss is behind
  std::vector<Layouts> copies_;  // per value
  std::vector<bool> is_result_;  // per value
  Distributed distributed_;
};

}  // namespace

namespace {

std::optional<Distributed> sharded(const ir::Module& module, const ir::OpTable& ops, int ways, int written,
                                   const Sharding& sharding) {
  const ir::Function& function = module.entry();
  for (const ir::Op& op : function.ops) {
    if (op.is_call())
      throw RefusalError(Cause::program, ir::describe(module, function, op), "shard works on a program without calls");
  }
  const std::optional<ir::Module> joined = ways > 1 ? try_join_slices(module, ops) : std::nullopt;
  Sharder sharder(joined ? *joined : module, ops, ways, written, sharding);
  Distributed made = sharder.run();
  if (!sharder.says_all()) return {};
  return made;
}

}  // namespace

Distributed shard(const ir::Module& module, const ir::OpTable& ops, int ways, const Sharding& sharding) {
  return *sharded(module, ops, ways, ways, sharding);
}

std::optional<Distributed> two_shards(const ir::Module& module, const ir::OpTable& ops, int ways,
                                      const Sharding& sharding) {
  FOREFLOW_CHECK(ways > 2, "the second shard stands for more than itself");
  return sharded(module, ops, ways, 2, sharding);
}

namespace {

Results results_argument(const PassArguments& arguments) {
  const std::string word = word_argument(arguments, "results", "gather");
  if (word == "gather") return Results::gather;
  if (word == "split") return Results::leave_split;
  throw Error("--pass: results", "\"" + word + "\" is neither gather nor split");
}

Sharding sharding_arguments(const PassArguments& arguments) {
  return {.plan       = find_tensor_plan(word_argument(arguments, "plan", "auto")),
          .sequence   = flag_argument(arguments, "sequence"),
          .vocabulary = flag_argument(arguments, "vocabulary"),
          .results    = results_argument(arguments)};
}

}  // namespace

namespace definitions::shard {
PassDef row() {
  return {
      "shard",
      "tensor parallelism over tp devices; plan=auto, megatron, or a file of name patterns with the dimension that "
      "they split; sequence=true and vocabulary=true split these too; results=split leaves split results where they "
      "are",
      {"tp", "plan", "sequence", "vocabulary", "results"},
      [](const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments) {
        return transform::shard(module, ops, degree_argument(arguments, "tp", 1), sharding_arguments(arguments)).module;
      },
      [](const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments) {
        return shard_notes(module, ops, degree_argument(arguments, "tp", 1), sharding_arguments(arguments));
      }};
}
}  // namespace definitions::shard

}  // namespace foreflow::transform
