// Replaces each attention core by one op that never has all scores in memory (Dao et al., 2022, FlashAttention):
//
//   %s = FusedMatMul[transB = 1, alpha = 0.5](%q, %k)        %o, %lse = BlockAttention[scale = 0.5](%q, %k, %v, %bias)
//   %a = Add(%s, %bias)                                ->
//   %p = Softmax(%a)
//   %o = MatMul(%p, %v)
//
// Its kernels take heads at any stride and write them so, so ops beside a core that only move heads become `placed`.
// The result of a core is moved where asked for.
//
// A causal mask, which hides the keys after a query, does not become an operand but the attribute causal=1. A Dropout
// of probabilities becomes the attributes dropout and seed, if nothing but its gradient reads the mask.
#include <algorithm>
#include <array>

#include "foreflow/base/nth.h"
#include "foreflow/base/refusal.h"
#include "foreflow/base/text.h"
#include "foreflow/ir/text.h"
#include "foreflow/transform/context_attention.h"
#include "foreflow/transform/passes.h"
#include "foreflow/transform/simplify.h"
#include "transform/context/attention_core.h"
#include "transform/context/placed_heads.h"
#include "transform/pass_arguments.h"
#include "transform/rewrite/copy.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;
using Ints = std::vector<int64_t>;

// Writes the function with each core as one op.
class Fuser {
 public:
  Fuser(const KnownFunction& of, const ir::OpTable& ops)
      : of_(of), function_(of.function), builder_(function_.name, ops), map_(function_.values.size()) {}

  ir::Module run(const AttentionCores& cores, const std::vector<bool>& placed) && {
    copy_parameters(builder_, function_, map_);
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (const auto core = cores.find(o); core != cores.end()) {
        write(core->second, function_.ops[o]);
      } else if (placed[o]) {
        place(function_.ops[o]);
      } else {
        copy_op(builder_, function_, function_.ops[o], map_);
      }
    }
    ir::Module result{of_.module.source, {}};
    result.functions.push_back(builder_.finish(copies(function_.results, map_)));
    ir::verify(result);
    return eliminate_dead_code(result);
  }

 private:
  void place(const ir::Op& op) {
    ir::Attributes attributes = *op.attributes;
    attributes.set("placed", int64_t{1});
    const auto made = builder_.emit(op.def->name, copies(function_.inputs(op), map_), attributes, op.result_count);
    for (uint32_t i = 0; i < op.result_count; ++i) replace(function_.output(op, i), made[i]);
  }

  void write(const AttentionCore& core, const ir::Op& last) {
    ir::Attributes attributes{{"scale", core.scale}};
    if (core.causal) attributes.set("causal", int64_t{1});
    if (core.dropout > 0) attributes.set("dropout", core.dropout);
    if (core.seed) attributes.set("seed", *core.seed);
    std::vector<ValueId> operands{queries(core), keys(core), map_(core.v)};
    ValueId bias = ValueId::none;
    for (const ValueId term : core.biases)
      bias = bias == ValueId::none ? map_(term) : builder_.op("Add", {bias, map_(term)});
    if (bias != ValueId::none) operands.push_back(bias);
    ValueId result    = builder_.emit("BlockAttention", operands, attributes, 2)[0];
    const ValueId old = function_.output(last, 0);
    if (core.grouped)
      result = builder_.op("Reshape", {result}, {{"shape", Ints{0, 0, of_.dims(old)[2], of_.dims(old)[3]}}});
    replace(old, result);
  }

  ValueId queries(const AttentionCore& core) {
    if (!core.grouped) return map_(core.q);
    const ir::Dims& scores = *core.grouped;
    return builder_.op("Reshape", {map_(core.q)}, {{"shape", Ints{0, 0, scores[2], scores[3], of_.dims(core.q)[3]}}});
  }

  // The keys as rows. If a Transpose makes them columns, it is replaced by one that makes them rows.
  ValueId keys(const AttentionCore& core) {
    if (core.keys_are_rows) return map_(core.k);
    const ir::Op* maker = of_.made_by(core.k);
    if (maker != nullptr && !maker->is_call() && maker->def->copy == ir::Copy::permuted &&
        maker->attributes->find("perm") != nullptr) {
      Ints order = maker->attributes->get_ints("perm");
      std::swap(order[2], order[3]);
      ir::Attributes attributes{{"perm", order}};
      if (order == Ints{0, 2, 1, 3}) attributes.set("placed", int64_t{1});
      return builder_.op("Transpose", {map_(function_.inputs(*maker)[0])}, attributes);
    }
    return builder_.op("Transpose", {map_(core.k)}, {{"perm", Ints{0, 1, 3, 2}}});
  }

  // Gives what is written for a value its name and annotation.
  void replace(ValueId old, ValueId made) {
    builder_.set_name(made, function_.value(old).name);
    builder_.annotate(made, function_.value(old).annotation);
    map_.set(old, made);
  }

  const KnownFunction& of_;
  const ir::Function& function_;
  ir::FunctionBuilder builder_;
  ValueMap map_;
};

}  // namespace

ir::Module fuse_attention(const ir::Module& module, const ir::OpTable& ops, Cores cores, bool copies_result) {
  const ir::Module flat = module.functions.size() > 1 ? inline_calls(module) : module;
  const KnownFunction function(flat);
  const AttentionCores found = read_attention_cores(function, cores);
  if (found.empty()) {
    if (cores == Cores::possible) return flat;
    throw RefusalError(Cause::program, flat.source + ": @" + function.function.name,
                       "has no attention core (a Softmax between two products of activations) to fuse");
  }
  return Fuser(function, ops).run(found, placed_beside(function, found, copies_result));
}

namespace {
constexpr std::array<std::string_view, 2> kAttention = {"flash", "unfused"};
}  // namespace

std::vector<std::string> attention_names() { return {kAttention.begin(), kAttention.end()}; }

std::string_view name(Attention attention) { return nth(kAttention, attention); }

Attention attention_named(std::string_view name, const std::string& place) {
  const auto found = std::find(kAttention.begin(), kAttention.end(), name);
  if (found != kAttention.end()) return static_cast<Attention>(found - kAttention.begin());
  throw Error(place, "\"" + std::string(name) + "\" is no way to compute attention; use " + list_or(attention_names()));
}

namespace definitions::fuse_attention {
PassDef row() {
  return {"fuse_attention",
          "each attention core, from the scores over scale, mask and Softmax to the product with the values, as one "
          "op; before differentiate",
          {},
          [](const ir::Module& module, const ir::OpTable& ops, const PassArguments&) {
            return transform::fuse_attention(module, ops);
          }};
}
}  // namespace definitions::fuse_attention

}  // namespace foreflow::transform
