// Replaces each attention core by one op that never has all scores in memory (Dao et al., 2022, FlashAttention):
//
//   %s = FusedMatMul[transB = 1, alpha = 0.5](%q, %k)        %o, %lse = BlockAttention[scale = 0.5](%q, %k, %v, %bias)
//   %a = Add(%s, %bias)                                ->
//   %p = Softmax(%a)
//   %o = MatMul(%p, %v)
//
// Queries and keys that a number multiplies before come without it, which joins `scale`. A guard of probabilities,
// Where(IsNaN(%p), 0, %p), goes: the op gives 0 to a row that sees nothing. Its kernels take heads at any stride
// and write them so (strides of FlashAttention, layouts such as sbhd of Transformer Engine), so a Transpose of
// positions and heads beside a core moves nothing: it becomes `placed`, also behind a rotation of its heads. So does a
// Split into queries, keys and values that are read as heads alone. The result of a core is moved where asked for.
//
// A causal mask, which hides the keys after a query, does not become an operand but the attribute causal=1. A Dropout
// of probabilities becomes the attributes dropout and seed, if nothing but its gradient reads the mask.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "foreflow/base/refusal.h"
#include "foreflow/base/text.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/text.h"
#include "foreflow/ir/uses.h"
#include "foreflow/transform/context_attention.h"
#include "foreflow/transform/passes.h"
#include "foreflow/transform/simplify.h"
#include "transform/blocks/attention_cores.h"
#include "transform/pass_arguments.h"
#include "transform/rewrite/copy.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;
using Ints = std::vector<int64_t>;

// An added number that is at most this masks a score out: the exponential of the score is then 0 in every float type.
constexpr double kFar = -1000;

constexpr double kRatio = 0.5;  // of a Dropout that states none

// 0.1 for the number of Float32 that is nearest to 0.1.
double shortest(double value) {
  return parse_number<double>(fmt::format("{}", static_cast<float>(value))).value_or(value);
}

struct Core {
  ValueId q{}, k{}, v{};
  bool keys_are_rows = false;  // k[b,n,t,d], not [b,n,d,t]
  double scale       = 1;
  bool causal        = false;
  std::vector<ValueId> biases;
  std::optional<ir::Dims> grouped;  // scores [b,n,g,s,t]
  bool normalised = false;          // the Softmax was met
  double dropout  = 0;
  std::optional<ir::Attribute> seed;  // of `dropout`
};

class Fuser {
 public:
  Fuser(const ir::Module& module, const ir::OpTable& ops, bool copies_result)
      : module_(module),
        copies_result_(copies_result),
        function_(module.entry()),
        interpretation_(interpret::interpret_mixed(module, module.functions.size() - 1)),
        values_(interpretation_.entry().values),
        makers_(ir::makers_of(function_)),
        readers_(function_),
        builder_(function_.name, ops),
        map_(function_.values.size()) {}

  ir::Module run(Cores wanted) {
    std::map<size_t, Core> cores;  // by their last op
    for (const Segment& segment : attention_cores(module_)) {
      auto core = wanted == Cores::all ? std::optional(read(segment)) : try_read(segment);
      if (core) cores.emplace(segment.back(), *std::move(core));
    }
    if (cores.empty()) {
      if (wanted == Cores::possible) return module_;
      throw RefusalError(Cause::program, module_.source + ": @" + function_.name,
                         "has no attention core (a Softmax between two products of activations) to fuse");
    }
    copy_parameters(builder_, function_, map_);
    const std::vector<bool> placed = placed_ops(cores);
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (const auto core = cores.find(o); core != cores.end()) {
        write(core->second, function_.ops[o]);
      } else if (placed[o]) {
        place(function_.ops[o]);
      } else {
        copy_op(builder_, function_, function_.ops[o], map_);
      }
    }
    ir::Module result{module_.source, {}};
    result.functions.push_back(builder_.finish(copies(function_.results, map_)));
    ir::verify(result);
    return eliminate_dead_code(result);
  }

 private:
  // The op that computes a value; null for a parameter.
  const ir::Op* made_by(ValueId id) const {
    const int32_t op = makers_[ir::index(id)];
    return op < 0 ? nullptr : &function_.ops[static_cast<size_t>(op)];
  }

  // Whether it orders dimensions so; null: no op.
  static bool orders(const ir::Op* op, const Ints& dimensions) {
    return op != nullptr && !op->is_call() && op->def->copy == ir::Copy::permuted &&
           op->attributes->find_ints("perm") == dimensions;
  }

  // Whether it exchanges the heads and the positions of [b,n,s,d] and leaves each head as it is.
  static bool turns_heads(const ir::Op& op) { return orders(&op, {0, 2, 1, 3}); }

  static bool is_view(const ir::Op& op) { return !op.is_call() && op.def->sizes == ir::Sizes::shape; }

  // Marks the Transpose that `id` comes from, where at most factors, rotations and views of groups of heads are
  // between.
  void mark_makers(ValueId id, std::vector<bool>& placed) const {
    for (const ir::Op* maker = made_by(id); maker != nullptr && !maker->is_call(); maker = made_by(id)) {
      if (turns_heads(*maker)) placed[static_cast<size_t>(makers_[ir::index(id)])] = true;
      const bool passes = maker->def->within_heads || is_view(*maker) || factor_of(*maker).has_value();
      if (!passes) return;
      id = function_.inputs(*maker)[0];
    }
  }

  std::vector<bool> placed_ops(const std::map<size_t, Core>& cores) const {
    std::vector<bool> placed(function_.ops.size(), false), attends(function_.values.size(), false);
    for (const auto& [last, core] : cores) {
      for (const ValueId id : {core.q, core.k, core.v}) mark_makers(id, placed);
      attends[ir::index(function_.output(function_.ops[last], 0))] = true;
    }
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      const ir::Op& op = function_.ops[o];
      if (op.is_call() || op.operand_count == 0 || function_.inputs(op)[0] == ValueId::none) continue;
      if (!attends[ir::index(function_.inputs(op)[0])]) continue;
      if (is_view(op)) attends[op.first_result] = true;
      if (turns_heads(op)) placed[o] = !copies_result_;
    }
    std::vector<bool> heads = placed;  // with the columns of keys, which become rows
    for (const auto& [last, core] : cores) {
      if (!core.keys_are_rows && orders(made_by(core.k), {0, 2, 3, 1}))
        heads[static_cast<size_t>(makers_[ir::index(core.k)])] = true;
    }
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (splits_heads(function_.ops[o], heads)) placed[o] = true;
    }
    return placed;
  }

  // Whether all readers of the results take them as heads, where they are.
  bool splits_heads(const ir::Op& op, const std::vector<bool>& heads) const {
    if (op.is_call() || op.def->name != "Split") return false;
    for (uint32_t i = 0; i < op.result_count; ++i) {
      if (!is_read_as_heads(function_.output(op, i), heads)) return false;
    }
    return true;
  }

  bool is_read_as_heads(ValueId id, const std::vector<bool>& heads) const {
    const auto readers = readers_[ir::index(id)];
    return !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](int32_t o) {
      const ir::Op& reader = function_.ops[static_cast<size_t>(o)];
      if (heads[static_cast<size_t>(o)]) return true;
      return is_view(reader) && is_read_as_heads(function_.output(reader, 0), heads);
    });
  }

  void place(const ir::Op& op) {
    ir::Attributes attributes = *op.attributes;
    attributes.set("placed", int64_t{1});
    const auto made = builder_.emit(op.def->name, copies(function_.inputs(op), map_), attributes, op.result_count);
    for (uint32_t i = 0; i < op.result_count; ++i) {
      const ValueId old = function_.output(op, i);
      builder_.set_name(made[i], function_.value(old).name);
      builder_.annotate(made[i], function_.value(old).annotation);
      map_.set(old, made[i]);
    }
  }

  // The number that an op multiplies its first operand by.
  std::optional<double> factor_of(const ir::Op& op) const {
    const auto inputs = function_.inputs(op);
    if (op.is_call() || op.def->name != "Mul" || inputs[0] == ValueId::none || inputs[1] == ValueId::none)
      return std::nullopt;
    return number(inputs[1]);
  }

  [[noreturn]] void refuse(const ir::Op& op, const std::string& why) const {
    throw RefusalError(Cause::program, ir::describe(module_, function_, op),
                       why + " in an attention core that is to be one op");
  }

  const ir::Dims& dims(ValueId id) const { return values_[ir::index(id)].type.dims; }

  std::optional<double> number(ValueId id) const {
    const auto& known = values_[ir::index(id)].known;
    return known != nullptr && known->size() == 1 ? std::optional(known->at(0)) : std::nullopt;
  }

  std::optional<Core> try_read(const Segment& segment) const {
    try {
      return read(segment);
    } catch (const RefusalError&) {
      return std::nullopt;
    }
  }

  Core read(const Segment& segment) const {
    Core core;
    const ir::Op& first = function_.ops[segment.front()];
    read_product(first, core);
    ValueId value = function_.output(first, 0);
    for (size_t i = 1; i + 1 < segment.size(); ++i) {
      const ir::Op& op = function_.ops[segment[i]];
      read_step(op, value, core);
      value = function_.output(op, 0);
    }
    const ir::Op& last = function_.ops[segment.back()];
    if (last.def->product != ir::Product::matrices || function_.inputs(last)[0] != value)
      refuse(last, "this product cannot stand");
    core.v = function_.inputs(last)[1];
    return core;
  }

  void read_product(const ir::Op& op, Core& core) const {
    const ir::Attributes& attributes = *op.attributes;
    core.q                           = function_.inputs(op)[0];
    core.k                           = function_.inputs(op)[1];
    const bool knows                 = op.def->product == ir::Product::matrices ||
                       (op.def->product == ir::Product::turned && attributes.int_or("transA", 0) == 0);
    if (!knows || dims(core.q).size() != 4 || dims(core.k).size() != 4)
      refuse(op, "only a product of queries [b,n,s,d] and keys of four dimensions can stand");
    core.keys_are_rows = attributes.int_or("transB", 0) != 0;
    core.scale         = attributes.float_or("alpha", 1);
    core.q             = without_factor(core.q, core);
    core.k             = without_factor(core.k, core);
    const auto rows    = core.keys_are_rows ? std::nullopt : rows_of(core.k);
    core.keys_are_rows = core.keys_are_rows || rows;
    core.k             = rows.value_or(core.k);
  }

  // The value that a number multiplies, if `id` is such a product; the number joins the scale.
  ValueId without_factor(ValueId id, Core& core) const {
    const ir::Op* maker = made_by(id);
    const auto factor   = maker == nullptr ? std::nullopt : factor_of(*maker);
    if (!factor || dims(function_.inputs(*maker)[0]) != dims(id)) return id;
    core.scale *= *factor;
    return function_.inputs(*maker)[0];
  }

  // The keys as rows [b,n,t,d], where an exporter turned all heads at once: Reshape to [b*n,t,d], Transpose, Reshape to
  // columns [b,n,d,t].
  std::optional<ValueId> rows_of(ValueId columns) const {
    const ir::Op* seen = made_by(columns);
    if (seen == nullptr || !is_view(*seen)) return std::nullopt;
    const ir::Op* turned = made_by(function_.inputs(*seen)[0]);
    if (!orders(turned, {0, 2, 1})) return std::nullopt;
    const ir::Op* joined = made_by(function_.inputs(*turned)[0]);
    if (joined == nullptr || !is_view(*joined)) return std::nullopt;
    const ValueId rows = function_.inputs(*joined)[0];
    ir::Dims swapped   = dims(columns);
    std::swap(swapped[2], swapped[3]);
    const ir::Dims all{swapped[0] * swapped[1], swapped[2], swapped[3]};
    const bool fits = dims(rows) == swapped && dims(function_.output(*joined, 0)) == all;
    return fits ? std::optional(rows) : std::nullopt;
  }

  // Interprets one op between the scores and the product with the values. Its operand `value` is the score so far.
  void read_step(const ir::Op& op, ValueId value, Core& core) const {
    const auto inputs    = function_.inputs(op);
    const ir::OpDef& def = *op.def;
    const ValueId other  = inputs.size() == 2 ? (inputs[0] == value ? inputs[1] : inputs[0]) : ValueId::none;
    if (def.copy == ir::Copy::same) return;
    if (is_view(op)) return read_view(op, value, core);
    if (core.normalised) return read_probabilities(op, value, core);
    if (def.softmax == ir::Softmax::plain) {
      core.normalised = true;
      return check_softmax(op);
    }
    if (def.sums_operands && other != ValueId::none) return read_bias(other, core);
    const auto factor  = other == ValueId::none ? std::nullopt : number(other);
    const bool divides = def.name == "Div";
    if (!factor || !def.scales_elements || !core.biases.empty() || core.causal || (divides && inputs[0] != value))
      refuse(op, "a " + std::string(def.name) + " cannot stand");
    core.scale *= divides ? 1 / *factor : *factor;
  }

  // Interprets one op between the Softmax and the product with the values.
  void read_probabilities(const ir::Op& op, ValueId value, Core& core) const {
    if (is_guard(op, value)) return;
    if (op.def->name != "Dropout") refuse(op, "a " + std::string(op.def->name) + " of probabilities cannot stand");
    const auto inputs = function_.inputs(op);
    const auto known  = [&](size_t i) {
      return i < inputs.size() && inputs[i] != ValueId::none ? number(inputs[i]) : std::nullopt;
    };
    if (inputs.size() < 3 || inputs[2] == ValueId::none || known(2) == 0) return;  // inference
    const auto ratio = inputs[1] == ValueId::none ? op.attributes->float_or("ratio", kRatio) : known(1);
    if (!ratio || !known(2) || is_read(op, 1) || core.dropout > 0)
      refuse(op, "only one Dropout of a known ratio, of which nothing else reads the mask, can stand");
    core.dropout = shortest(*ratio);
    if (const ir::Attribute* seed = op.attributes->find("seed")) core.seed = *seed;
  }

  // Whether an op reads the result, or the function returns it.
  bool is_read(const ir::Op& op, uint32_t result) const {
    if (result >= op.result_count) return false;
    const ValueId id = function_.output(op, result);
    return !readers_[ir::index(id)].empty() ||
           std::find(function_.results.begin(), function_.results.end(), id) != function_.results.end();
  }

  // Whether the op puts 0 where `probabilities` are no numbers.
  bool is_guard(const ir::Op& op, ValueId probabilities) const {
    const auto inputs = function_.inputs(op);
    if (op.def->name != "Where" || inputs[2] != probabilities || number(inputs[1]) != 0) return false;
    const ir::Op* asks = made_by(inputs[0]);
    return asks != nullptr && !asks->is_call() && asks->def->name == "IsNaN" &&
           function_.inputs(*asks)[0] == probabilities;
  }

  void check_softmax(const ir::Op& op) const {
    const auto rank    = static_cast<int64_t>(dims(function_.inputs(op)[0]).size());
    const int64_t axis = op.attributes->int_or("axis", -1);
    if ((axis != -1 && axis != rank - 1) || op.attributes->int_or("flatten", 0) != 0)
      refuse(op, "a Softmax along any but the last axis cannot stand");
  }

  // Interprets a Reshape, which may only turn scores [b,n,g*s,t] into [b,n,g,s,t] or back.
  void read_view(const ir::Op& op, ValueId value, Core& core) const {
    const ir::Dims &from = dims(value), &to = dims(function_.output(op, 0));
    const bool keeps =
        from.back() == to.back() && from[0] == to[0] && from[1] == to[1] && to.size() <= 5 && to.size() >= 4;
    if (!keeps) refuse(op, "scores " + to_string(from) + " seen as " + to_string(to) + " cannot stand");
    if (to.size() == 5) core.grouped = to;
  }

  void read_bias(ValueId bias, Core& core) const {
    if (is_causal(bias)) {
      core.causal = true;
      return;
    }
    const ir::Op* maker = made_by(bias);
    if (maker != nullptr && maker->def != nullptr && maker->def->name == "Add") {
      const auto terms = function_.inputs(*maker);
      for (size_t i = 0; i < 2; ++i) {
        if (!is_causal(terms[i]) || dims(terms[1 - i]) != dims(bias)) continue;
        core.causal = true;
        core.biases.push_back(terms[1 - i]);
        return;
      }
    }
    core.biases.push_back(bias);
  }

  // Whether a mask [s,s] has a large negative number above the diagonal and 0 elsewhere. The elements of small masks
  // are known; larger ones are recognised by the ops that compute them.
  bool is_causal(ValueId mask) const {
    const ir::Dims& of = dims(mask);
    if (of.size() != 2 || of[0] != of[1]) return false;
    const auto& known = values_[ir::index(mask)].known;
    if (known == nullptr) return is_made_causal(mask);
    for (int64_t i = 0; i < known->size(); ++i) {
      const bool behind = i % of[0] > i / of[0];
      if (behind ? known->at(i) > kFar : known->at(i) != 0) return false;
    }
    return true;
  }

  bool is_made_causal(ValueId mask) const {
    const ir::Op* triangle = made_by(mask);
    if (triangle == nullptr || triangle->is_call() || triangle->def->name != "Trilu") return false;
    const auto inputs   = function_.inputs(*triangle);
    const auto diagonal = inputs.size() > 1 && inputs[1] != ValueId::none ? number(inputs[1]) : std::nullopt;
    const double k      = diagonal ? *diagonal : static_cast<double>(triangle->attributes->int_or("k", 0));
    const ir::Op* far   = made_by(inputs[0]);
    if (far == nullptr || far->is_call() || far->def->sizes != ir::Sizes::filled) return false;
    if (triangle->attributes->int_or("upper", 1) == 0 || k != 1) return false;
    const ir::Array* value = far->attributes->find_array("value");
    return value != nullptr && value->size() == 1 && value->at(0) <= kFar;
  }

  void write(const Core& core, const ir::Op& last) {
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
    if (core.grouped) result = builder_.op("Reshape", {result}, {{"shape", Ints{0, 0, dims(old)[2], dims(old)[3]}}});
    builder_.set_name(result, function_.value(old).name);
    builder_.annotate(result, function_.value(old).annotation);
    map_.set(old, result);
  }

  ValueId queries(const Core& core) {
    if (!core.grouped) return map_(core.q);
    const ir::Dims& scores = *core.grouped;
    return builder_.op("Reshape", {map_(core.q)}, {{"shape", Ints{0, 0, scores[2], scores[3], dims(core.q)[3]}}});
  }

  // The keys as rows. If a Transpose makes them columns, it is replaced by one that makes them rows.
  ValueId keys(const Core& core) {
    if (core.keys_are_rows) return map_(core.k);
    const ir::Op* maker = made_by(core.k);
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

  const ir::Module& module_;
  const bool copies_result_;
  const ir::Function& function_;
  const interpret::MixedInterpretation interpretation_;
  const interpret::Values<interpret::Mixed>& values_;
  const std::vector<int32_t> makers_;
  const ir::Readers readers_;
  ir::FunctionBuilder builder_;
  ValueMap map_;
};

}  // namespace

ir::Module fuse_attention(const ir::Module& module, const ir::OpTable& ops, Cores cores, bool copies_result) {
  const ir::Module flat = module.functions.size() > 1 ? inline_calls(module) : module;
  return Fuser(flat, ops, copies_result).run(cores);
}

namespace {
constexpr std::array<std::string_view, 2> kAttention = {"flash", "unfused"};
}  // namespace

std::vector<std::string> attention_names() { return {kAttention.begin(), kAttention.end()}; }

std::string_view name(Attention attention) { return kAttention[static_cast<size_t>(attention)]; }

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
