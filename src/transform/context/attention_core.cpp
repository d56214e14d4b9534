#include "transform/context/attention_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "foreflow/base/refusal.h"
#include "foreflow/base/text.h"
#include "foreflow/ir/text.h"
#include "transform/blocks/attention_cores.h"
#include "transform/context/causal_mask.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

constexpr double kRatio = 0.5;  // of a Dropout that states none

// 0.1 for the number of Float32 that is nearest to 0.1.
double shortest(double value) {
  return parse_number<double>(fmt::format("{}", static_cast<float>(value))).value_or(value);
}

// Reads one core: from the product that makes its scores, step by step to the product with the values.
class AttentionCoreReader {
 public:
  AttentionCoreReader(const KnownFunction& of, const ElementPatterns& patterns)
      : of_(of), patterns_(patterns), function_(of.function) {}

  AttentionCore read(const Segment& segment) && {
    const ir::Op& first = function_.ops[segment.front()];
    read_scores(first);
    ValueId value = function_.output(first, 0);
    for (size_t i = 1; i + 1 < segment.size(); ++i) {
      const ir::Op& op = function_.ops[segment[i]];
      read_step(op, value);
      value = function_.output(op, 0);
    }
    const ir::Op& last = function_.ops[segment.back()];
    if (last.def->product != ir::Product::matrices || function_.inputs(last)[0] != value)
      refuse(last, "this product cannot stand");
    core_.v = function_.inputs(last)[1];
    read_stored();
    return std::move(core_);
  }

 private:
  [[noreturn]] void refuse(const ir::Op& op, const std::string& why) const {
    throw RefusalError(Cause::program, ir::describe(of_.module, function_, op),
                       why + " in an attention core that is to be one op");
  }

  void read_scores(const ir::Op& op) {
    const ir::Attributes& attributes = *op.attributes;
    core_.q                          = function_.inputs(op)[0];
    core_.k                          = function_.inputs(op)[1];
    const bool knows                 = op.def->product == ir::Product::matrices ||
                       (op.def->product == ir::Product::turned && attributes.int_or("transA", 0) == 0);
    if (!knows || of_.dims(core_.q).size() != 4 || of_.dims(core_.k).size() != 4)
      refuse(op, "only a product of queries [b,n,s,d] and keys of four dimensions can stand");
    core_.keys_are_rows = attributes.int_or("transB", 0) != 0;
    core_.scale         = attributes.float_or("alpha", 1);
    core_.q             = without_factor(core_.q);
    core_.k             = without_factor(core_.k);
    const auto rows     = core_.keys_are_rows ? std::nullopt : rows_of(core_.k);
    core_.keys_are_rows = core_.keys_are_rows || rows;
    core_.k             = rows.value_or(core_.k);
  }

  // A cache in another type is read as it is: the op converts what it reads.
  void read_stored() {
    const ValueId k = as_stored(core_.k), v = as_stored(core_.v);
    if (of_.type(k).dtype != of_.type(v).dtype) return;
    core_.k = k;
    core_.v = v;
  }

  // The operand of the conversion that makes `id`, if it is a cache, which comes from an earlier step or is left to a
  // later one; else `id` itself.
  ValueId as_stored(ValueId id) const {
    const ir::Op* maker = of_.made_by(id);
    if (maker == nullptr || maker->is_call() || maker->def->copy != ir::Copy::converted) return id;
    const ValueId from  = function_.inputs(*maker)[0];
    const auto& results = function_.results;
    const bool is_given = ir::index(from) < function_.parameters.size() &&
                          function_.parameters[ir::index(from)] == ir::ParameterRole::data;
    const bool is_cache = is_given || std::find(results.begin(), results.end(), from) != results.end();
    return is_cache && ir::is_float(of_.type(from).dtype) ? from : id;
  }

  // The value that a number multiplies, if `id` is such a product; the number joins the scale.
  ValueId without_factor(ValueId id) {
    const ir::Op* maker = of_.made_by(id);
    const auto factor   = maker == nullptr ? std::nullopt : of_.factor_of(*maker);
    if (!factor || of_.dims(function_.inputs(*maker)[0]) != of_.dims(id)) return id;
    core_.scale *= *factor;
    return function_.inputs(*maker)[0];
  }

  // The keys as rows [b,n,t,d], where an exporter turned all heads at once: Reshape to [b*n,t,d], Transpose, Reshape to
  // columns [b,n,d,t].
  std::optional<ValueId> rows_of(ValueId columns) const {
    const ir::Op* seen = of_.made_by(columns);
    if (seen == nullptr || !is_reshape(*seen)) return std::nullopt;
    const ir::Op* turned = of_.made_by(function_.inputs(*seen)[0]);
    if (!permutes(turned, {0, 2, 1})) return std::nullopt;
    const ir::Op* joined = of_.made_by(function_.inputs(*turned)[0]);
    if (joined == nullptr || !is_reshape(*joined)) return std::nullopt;
    const ValueId rows = function_.inputs(*joined)[0];
    ir::Dims swapped   = of_.dims(columns);
    std::swap(swapped[2], swapped[3]);
    const ir::Dims all{swapped[0] * swapped[1], swapped[2], swapped[3]};
    const bool fits = of_.dims(rows) == swapped && of_.dims(function_.output(*joined, 0)) == all;
    return fits ? std::optional(rows) : std::nullopt;
  }

  // Interprets one op between the scores and the product with the values. Its operand `value` is the score so far.
  void read_step(const ir::Op& op, ValueId value) {
    const auto inputs    = function_.inputs(op);
    const ir::OpDef& def = *op.def;
    const ValueId other  = inputs.size() == 2 ? (inputs[0] == value ? inputs[1] : inputs[0]) : ValueId::none;
    if (def.copy == ir::Copy::same) return;
    if (is_reshape(op)) return read_reshape(op, value);
    if (normalised_) return read_probabilities(op, value);
    if (def.softmax == ir::Softmax::plain) return read_softmax(op);
    if (def.sums_operands && other != ValueId::none) return read_bias(other, value, function_.output(op, 0));
    const bool known   = other != ValueId::none && of_.number(other);
    const bool divides = def.name == "Div";
    if (!known || !def.scales_elements || !core_.biases.empty() || core_.causal || (divides && inputs[0] != value))
      refuse(op, "a " + std::string(def.name) + " cannot stand");
    const double factor = of_.number(other).value();
    core_.scale *= divides ? 1 / factor : factor;
  }

  // Interprets a Reshape, which may only turn scores [b,n,g*s,t] into [b,n,g,s,t] or back.
  void read_reshape(const ir::Op& op, ValueId value) {
    const ir::Dims &from = of_.dims(value), &to = of_.dims(function_.output(op, 0));
    const bool keeps =
        from.back() == to.back() && from[0] == to[0] && from[1] == to[1] && to.size() <= 5 && to.size() >= 4;
    if (!keeps) refuse(op, "scores " + to_string(from) + " seen as " + to_string(to) + " cannot stand");
    if (to.size() == 5) core_.grouped = to;
  }

  void read_softmax(const ir::Op& op) {
    normalised_        = true;
    const auto rank    = static_cast<int64_t>(of_.dims(function_.inputs(op)[0]).size());
    const int64_t axis = op.attributes->int_or("axis", -1);
    if ((axis != -1 && axis != rank - 1) || op.attributes->int_or("flatten", 0) != 0)
      refuse(op, "a Softmax along any but the last axis cannot stand");
  }

  // Returns true if a value only hides the keys after each query from scores to which it is added. One of fewer rows
  // says the same to all queries, and one for more samples makes more scores.
  bool hides_later_keys(ValueId bias, ValueId scores, ValueId sum) const {
    const ir::Dims &mask = of_.dims(bias), &all = of_.dims(scores);
    return of_.dims(sum) == all && mask.size() >= 2 && mask.back() == all.back() &&
           mask[mask.size() - 2] == all[all.size() - 2] && is_causal(of_, patterns_, bias);
  }

  void read_bias(ValueId bias, ValueId scores, ValueId sum) {
    if (hides_later_keys(bias, scores, sum)) {
      core_.causal = true;
      return;
    }
    const ir::Op* maker = of_.made_by(bias);
    if (maker != nullptr && maker->def != nullptr && maker->def->name == "Add") {
      const auto terms = function_.inputs(*maker);
      for (size_t i = 0; i < 2; ++i) {
        if (!hides_later_keys(terms[i], scores, sum) || of_.dims(terms[1 - i]) != of_.dims(bias)) continue;
        core_.causal = true;
        core_.biases.push_back(terms[1 - i]);
        return;
      }
    }
    core_.biases.push_back(bias);
  }

  // Interprets one op between the Softmax and the product with the values.
  void read_probabilities(const ir::Op& op, ValueId value) {
    if (is_guard(op, value)) return;
    if (op.def->name != "Dropout") refuse(op, "a " + std::string(op.def->name) + " of probabilities cannot stand");
    const auto inputs = function_.inputs(op);
    const auto known  = [&](size_t i) {
      return i < inputs.size() && inputs[i] != ValueId::none ? of_.number(inputs[i]) : std::nullopt;
    };
    if (inputs.size() < 3 || inputs[2] == ValueId::none || known(2) == 0) return;  // inference
    const auto ratio = inputs[1] == ValueId::none ? op.attributes->float_or("ratio", kRatio) : known(1);
    if (!ratio || !known(2) || is_read(op, 1) || core_.dropout > 0)
      refuse(op, "only one Dropout of a known ratio, of which nothing else reads the mask, can stand");
    core_.dropout = shortest(*ratio);
    if (const ir::Attribute* seed = op.attributes->find("seed")) core_.seed = *seed;
  }

  // Returns true if the op puts 0 where `probabilities` are no numbers.
  bool is_guard(const ir::Op& op, ValueId probabilities) const {
    const auto inputs = function_.inputs(op);
    if (op.def->name != "Where" || inputs[2] != probabilities || of_.number(inputs[1]) != 0) return false;
    const ir::Op* asks = of_.made_by(inputs[0]);
    return asks != nullptr && !asks->is_call() && asks->def->name == "IsNaN" &&
           function_.inputs(*asks)[0] == probabilities;
  }

  // Returns true if an op reads the result, or the function returns it.
  bool is_read(const ir::Op& op, uint32_t result) const {
    if (result >= op.result_count) return false;
    const ValueId id = function_.output(op, result);
    return !of_.readers[ir::index(id)].empty() ||
           std::find(function_.results.begin(), function_.results.end(), id) != function_.results.end();
  }

  const KnownFunction& of_;
  const ElementPatterns& patterns_;
  const ir::Function& function_;
  AttentionCore core_;
  bool normalised_ = false;  // the Softmax was met
};

std::optional<AttentionCore> read_if_possible(const KnownFunction& of, const ElementPatterns& patterns,
                                              const Segment& segment) {
  try {
    return AttentionCoreReader(of, patterns).read(segment);
  } catch (const RefusalError&) {
    return std::nullopt;
  }
}

}  // namespace

AttentionCores read_attention_cores(const KnownFunction& of, Cores wanted) {
  const ElementPatterns patterns(of);
  AttentionCores cores;
  for (const Segment& segment : attention_cores(of.module)) {
    auto core = wanted == Cores::all ? std::optional(AttentionCoreReader(of, patterns).read(segment))
                                     : read_if_possible(of, patterns, segment);
    if (core) cores.emplace(segment.back(), *std::move(core));
  }
  return cores;
}

}  // namespace foreflow::transform
