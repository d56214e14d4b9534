#include <algorithm>
#include <numeric>
#include <utility>

#include "foreflow/base/refusal.h"
#include "foreflow/ir/builder.h"
#include "foreflow/ir/replicas.h"
#include "foreflow/ir/uses.h"
#include "foreflow/ir/verify.h"
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
#include "transform/tensor/shard_stages.h"
#include "transform/tensor/stage_variants.h"
#include "transform/tensor/vocabulary.h"
#include "transform/tensor/whole_weights.h"

namespace foreflow::transform {
namespace {

// One way to shard a program, and what it has made so far. A program whose stages are sharded in different ways has
// several; the devices of each are D1, D2, ...
struct Variant {
  Variant(ir::FunctionBuilder& builder, ShardPlan planned, int ways, int written, const Sharding& sharding,
          size_t values)
      : plan(std::move(planned)),
        ways(ways),
        written(written),
        sharding(sharding),
        reshard(builder, ways, written),
        vocabulary(builder, ways, written),
        copies(values) {}

  const ShardPlan plan;
  const int ways, written;
  const Sharding sharding;
  Resharder reshard;
  VocabularyWriter vocabulary;
  std::vector<Layouts> copies;  // per value
};

// Writes the planned program: every op once per way, on D1 .. D`written` of each variant that runs it.
class Sharder {
 public:
  Sharder(const ir::Module& module, const ir::OpTable& ops, const StagesToShard& stages, int written)
      : module_(module),
        function_(module_.entry()),
        interpretation_(interpret::interpret_mixed(module_, module_.functions.size() - 1)),
        values_(interpretation_.entry().values),
        builder_(function_.name, ops),
        where_(function_, stages) {
    variants_.reserve(stages.variants.size());
    for (const StageSharding& how : stages.variants) {
      const std::vector<bool> arrives = where_.arriving(variants_.size());
      variants_.emplace_back(builder_, plan_shards(module_, function_, values_, how.ways, how.sharding, arrives),
                             how.ways, written > 0 ? written : how.ways, how.sharding, function_.values.size());
    }
  }

  // Returns true if the ways that are written say what the others do.
  bool says_all() const {
    return std::all_of(variants_.begin(), variants_.end(),
                       [](const Variant& v) { return v.written == v.ways || !v.reshard.took_unplaced(); });
  }

  StagedShards run() {
    for (const Variant& variant : variants_) check_splits(variant);
    is_result_.resize(function_.values.size());
    for (const ir::ValueId id : function_.results) is_result_[ir::index(id)] = true;
    const auto written = static_cast<size_t>(variants_.front().written);
    builder_.reserve(written * function_.ops.size(), written * function_.values.size(),
                     written * function_.operands.size());
    sharded_.program.parameters.reserve(written * function_.parameters.size());
    for (size_t i = 0; i < function_.parameters.size(); ++i) {
      for (const size_t v : where_.native(i)) parameter(i, variants_[v]);
    }
    for (size_t i = 0; i < function_.parameters.size(); ++i) cross(i);
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      for (const size_t v : where_.variants(o)) {
        op(o, variants_[v]);
        note(where_.stage(o), v);
      }
      for (uint32_t i = 0; i < function_.ops[o].result_count; ++i) cross(function_.ops[o].first_result + i);
    }
    std::vector<ir::ValueId> results;
    for (size_t i = 0; i < function_.results.size(); ++i) result(i, results);
    Distributed& program  = sharded_.program;
    program.module.source = module_.source;
    program.module.functions.push_back(builder_.finish(std::move(results)));
    ir::verify(program.module, ir::Names::unique);
    return std::move(sharded_);
  }

 private:
  void check_splits(const Variant& variant) const {
    if (variant.ways == 1) return;
    const std::string where = module_.source + ": @" + function_.name, ways = std::to_string(variant.ways);
    if (variant.plan.split_weights == 0)
      refuse_whole_weights(module_, function_, values_, variant.ways, variant.plan.obstacles);
    if (variant.sharding.sequence && variant.plan.split_activations == 0) {
      throw RefusalError(Cause::program, where,
                         "sequence parallelism of " + ways +
                             " splits no activation: none is a sum with a sequence that it divides; use "
                             "sequence_parallel false");
    }
  }

  static std::string suffixed(const Variant& variant, const std::string& name, int way) {
    if (name.empty() || variant.ways == 1) return name;
    const bool stands_for_more = way > 0 && variant.written < variant.ways;
    return name + "." + (stands_for_more ? std::string(1, ir::kShardMark) : std::to_string(way + 1));
  }

  void parameter(size_t i, Variant& variant) {
    const ir::Value& value = function_.values[i];
    const Layout& layout   = variant.plan.layouts[i];
    for (int way = 0; way < variant.written; ++way) {
      const ir::Type type = ir::moved(local_type(values_[i].type, layout, variant.ways), ir::Device(way + 1));
      variant.copies[i][layout].push_back(
          builder_.parameter(suffixed(variant, value.name, way), function_.parameters[i], type));
      sharded_.program.parameters.push_back({static_cast<int32_t>(i), layout, variant.ways, way});
      sharded_.parameter_variants.push_back(variant_number(variant));
    }
  }

  void op(size_t o, Variant& variant) {
    const ir::Op& op         = function_.ops[o];
    const Decision& decision = variant.plan.decisions[o];
    if (op.def->role == ir::Role::loss_gradient && !std::exchange(backward_, true)) {
      for (Variant& each : variants_) {
        if (each.sharding.sequence) forget_gathered(each);
      }
    }
    const auto inputs = function_.inputs(op);
    std::vector<const Copies*> operands;
    std::vector<size_t> members;
    bool placed = variant.ways == 1;
    for (const size_t i : where_.operands(o, variant_number(variant))) {
      members.push_back(i);
      operands.push_back(inputs[i] == ir::ValueId::none ? nullptr : &in_layout(variant, inputs[i], decision.inputs[i]));
      placed = placed || (operands.back() != nullptr && operands.back()->size() > 1);
    }
    if (variant.plan.by_vocabulary[o]) {
      const OpTypes types(function_, op, values_);
      const Layout& made                    = variant.plan.layouts[op.first_result];
      variant.copies[op.first_result][made] = variant.vocabulary.write(function_, op, types.call(), operands);
      return in_result_layouts(op, variant);
    }
    const ir::AttributesRef attributes  = attributes_of_part(op, decision, variant.ways);
    const std::vector<uint32_t> results = where_.results(o, variant_number(variant));
    std::vector<ir::ValueId> chosen(members.size());
    // A constant, and what is computed from constants alone, lives on no device; one copy serves all.
    for (int way = 0; way < (placed ? variant.written : 1); ++way) {
      for (size_t i = 0; i < members.size(); ++i) {
        const bool left_out = operands[i] == nullptr || (decision.once == static_cast<int32_t>(members[i]) && way > 0);
        chosen[i] =
            left_out ? ir::ValueId::none : (*operands[i])[operands[i]->size() == 1 ? 0 : static_cast<size_t>(way)];
      }
      const ir::ValueId first = builder_.append(op.def, op.callee, attributes, chosen, results.size());
      for (size_t i = 0; i < results.size(); ++i) {
        const auto id           = static_cast<ir::ValueId>(ir::index(first) + i);
        const size_t value      = op.first_result + results[i];
        const std::string& name = function_.values[value].name;
        builder_.set_name(id, placed ? suffixed(variant, name, way) : name);
        variant.copies[value][variant.plan.layouts[value]].push_back(id);
      }
    }
    in_result_layouts(op, variant);
  }

  ir::AttributesRef attributes_of_part(const ir::Op& op, const Decision& decision, int ways) {
    if (op.def->fit_part == nullptr) return op.attributes;
    const OpTypes types(function_, op, values_);
    return builder_.share(local_attributes(types.call(), decision, types.outputs, ways));
  }

  size_t variant_number(const Variant& variant) const { return static_cast<size_t>(&variant - variants_.data()); }

  // The ops written since the last call belong to this stage and this variant.
  void note(int stage, size_t variant) {
    sharded_.stages.resize(builder_.function().ops.size(), stage);
    sharded_.variants.resize(builder_.function().ops.size(), variant);
  }

  // Results are gathered where they are made, not at the end.
  void in_result_layouts(const ir::Op& op, Variant& variant) {
    for (uint32_t i = 0; i < op.result_count; ++i) {
      const ir::ValueId id = function_.output(op, i);
      if (is_result_[ir::index(id)] && !variant.copies[ir::index(id)].empty() &&
          variant_number(variant) == where_.native(ir::index(id)).front())
        in_layout(variant, id, returned(variant, id));
    }
  }

  // The copies of a value in the layout that its next use needs; made when they are first needed.
  const Copies& in_layout(Variant& variant, ir::ValueId id, const Layout& wanted) {
    const size_t value = ir::index(id);
    Layouts& known     = variant.copies[value];
    // A value from another variant came in a layout that its first use there needs.
    const Layout& planned = variant.plan.layouts[value];
    const Layout made     = known.contains(planned) ? planned : known.begin()->first;
    return variant.reshard(known, made, wanted, values_[value].type);
  }

  // Backward gathers again what forward gathered along the sequence, so that only parts are kept until then.
  static void forget_gathered(Variant& variant) {
    for (size_t i = 0; i < variant.copies.size(); ++i) {
      Layouts& copies = variant.copies[i];
      const bool parts =
          std::any_of(copies.begin(), copies.end(), [](const auto& entry) { return entry.first.is_split(); });
      if (parts && !variant.plan.layouts[i].is_whole()) copies.erase(Layout::whole());
    }
  }

  // Brings a value to the variants that read it and do not make it, as soon as it is made.
  void cross(size_t value) {
    for (const Crossing& crossing : where_.crossings(value)) {
      Variant &from = variants_[where_.native(value).front()], &to = variants_[crossing.variant];
      const Layout source = sent_layout(from, value), target = to.plan.layouts[value];
      const auto id        = static_cast<ir::ValueId>(value);
      const Copies& copies = in_layout(from, id, source);
      note(where_.stage_of_value(value), variant_number(from));
      if (copies.size() == 1 && from.ways > 1) {  // on no device, as constants are
        to.copies[value][Layout::whole()] = copies;
        continue;
      }
      std::vector<int64_t> devices(static_cast<size_t>(to.ways));
      std::iota(devices.begin(), devices.end(), int64_t{1});
      const size_t rank         = values_[value].type.dims.size();
      ir::Attributes attributes = {{"source_mesh", std::vector<int64_t>{from.ways}},
                                   {"source_spec", sharding_spec(source, rank)},
                                   {"target_mesh", std::vector<int64_t>{to.ways}},
                                   {"target_spec", sharding_spec(target, rank)},
                                   {"to", devices}};
      Copies arrived            = builder_.emit("Reshard", copies, std::move(attributes), devices.size());
      for (size_t way = 0; way < arrived.size(); ++way)
        builder_.set_name(arrived[way], suffixed(to, function_.values[value].name, static_cast<int>(way)));
      to.copies[value][target] = std::move(arrived);
      note(crossing.stage, crossing.variant);
    }
  }

  // A part of a dimension in blocks is no slice of it, and a sum is not sent before it is taken.
  static bool can_be_sent(const Layout& layout) {
    return layout.is_whole() || (layout.is_split() && layout.blocks == 1);
  }

  Layout sent_layout(const Variant& variant, size_t value) const {
    const Layout& made = variant.plan.layouts[value];
    if (can_be_sent(made)) return made;
    return made.is_partial() ? wanted_layout(variant, value, where_.first_reader(value)) : Layout::whole();
  }

  // The layout in which op `reader` would need the value.
  Layout wanted_layout(const Variant& variant, size_t value, size_t reader) const {
    const auto inputs = function_.inputs(function_.ops[reader]);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == ir::ValueId::none || ir::index(inputs[i]) != value) continue;
      const Layout& wanted = variant.plan.decisions[reader].inputs[i];
      return can_be_sent(wanted) ? wanted : Layout::whole();
    }
    return Layout::whole();
  }

  // The layout that a result is returned in.
  Layout returned(const Variant& variant, ir::ValueId id) const {
    const Layout& made = variant.plan.layouts[ir::index(id)];
    const bool gather  = made.is_split() && variant.sharding.results == Results::gather && !stays(id);
    return made.is_partial() || gather ? Layout::whole() : made;
  }

  void result(size_t i, std::vector<ir::ValueId>& results) {
    const ir::ValueId id = function_.results[i];
    Variant& variant     = variants_[where_.native(ir::index(id)).front()];
    const Layout layout  = returned(variant, id);
    add_result(results, sharded_.program.results, i, layout, in_layout(variant, id, layout), variant.written);
    note(where_.stage_of_value(ir::index(id)), variant_number(variant));
  }

  // New weights and caches stay where they are used, and so do what the program reads itself, such as the keys and
  // values of a prefill, and heads, which what attends to them later reads: a prefill of encoder and decoder only makes
  // the keys and values of the decoder.
  bool stays(ir::ValueId id) const {
    const int32_t at = nth(makers_, ir::index(id));
    if (at < 0) return false;
    const ir::Op& maker = nth(function_.ops, at);
    return maker.def->role == ir::Role::optimizer || gives_cache(maker, ir::index(id) - maker.first_result) ||
           are_heads(function_, makers_, id) || where_.first_reader(ir::index(id)) < function_.ops.size();
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const std::vector<int32_t> makers_ = ir::makers_of(function_);
  const interpret::MixedInterpretation interpretation_;
  const interpret::Values<interpret::Mixed>& values_;
  ir::FunctionBuilder builder_;
  const StageVariants where_;
  std::vector<Variant> variants_;
  bool backward_ = false;        // the loss is behind
  std::vector<bool> is_result_;  // per value
  StagedShards sharded_;
};

}  // namespace

namespace {

void check_no_calls(const ir::Module& module) {
  const ir::Function& function = module.entry();
  for (const ir::Op& op : function.ops) {
    if (op.is_call())
      throw RefusalError(Cause::program, ir::describe(module, function, op), "shard works on a program without calls");
  }
}

std::optional<Distributed> sharded(const ir::Module& module, const ir::OpTable& ops, int ways, int written,
                                   const Sharding& sharding) {
  check_no_calls(module);
  const std::optional<ir::Module> joined = ways > 1 ? try_join_slices(module, ops) : std::nullopt;
  const StagesToShard all{{{ways, sharding}}, {}, {}};
  Sharder sharder(joined ? *joined : module, ops, all, written);
  Distributed made = sharder.run().program;
  if (!sharder.says_all()) return {};
  return made;
}

}  // namespace

Distributed shard(const ir::Module& module, const ir::OpTable& ops, int ways, const Sharding& sharding) {
  return *sharded(module, ops, ways, ways, sharding);
}

StagedShards shard_stages(const ir::Module& module, const ir::OpTable& ops, const StagesToShard& stages) {
  check_no_calls(module);
  return Sharder(module, ops, stages, 0).run();
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
