// Activation recomputation (Chen et al., 2016, Training deep nets with sublinear memory cost; Korthikanti et al.,
// 2022). The forward pass keeps fewer values, from which the backward pass repeats parts of it:
//
//   forward    %y = layer 1 of %x            only %x and %y are kept
//              %z = layer 2 of %y
//   backward   repeat layer 2 from %y, then compute its gradients
//              repeat layer 1 from %x, then compute its gradients
#include "foreflow/transform/recompute.h"

#include <algorithm>
#include <limits>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/base/refusal.h"
#include "foreflow/base/text.h"
#include "foreflow/ir/text.h"
#include "foreflow/ir/uses.h"
#include "foreflow/transform/passes.h"
#include "foreflow/transform/simplify.h"
#include "transform/blocks/attention_cores.h"
#include "transform/blocks/blocks.h"
#include "transform/blocks/forward_blocks.h"
#include "transform/pass_arguments.h"
#include "transform/recompute/activation_results.h"
#include "transform/recompute/chain.h"
#include "transform/recompute/fp8_repeats.h"
#include "transform/recompute/fused_values.h"
#include "transform/recompute/saved_results.h"
#include "transform/rewrite/copy.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// The ops that the backward pass repeats.
struct Repetition {
  std::vector<Segment> segments;
  // All ops of the first `whole` segments are repeated, as frameworks do; of the others only those that the backward
  // pass needs.
  size_t whole = 0;
  // What the last op of a segment makes is not kept either, although others read it.
  bool forgets_results = false;
  // Per op: its results are kept, and it is not repeated; empty: no such ops.
  std::vector<bool> saved = {};
};

class Repeater {
 public:
  Repeater(const ir::Module& module, const ir::OpTable& ops, const Repetition& what)
      : module_(module),
        function_(module.entry()),
        segments_(what.segments),
        whole_(what.whole),
        forward_(forward_ops(function_)),
        constant_(constant_values(function_)),
        forgetting_(function_, forward_, what.saved),
        segment_of_(function_.ops.size(), kNone),
        makers_(ir::makers_of(function_)),
        leaves_(function_.values.size()),
        again_(segments_.size(), ValueMap(0)),
        builder_(function_.name, ops),
        map_(function_.values.size()) {
    for (size_t s = 0; s < segments_.size(); ++s) {
      for (const size_t o : segments_[s]) segment_of_[o] = static_cast<int>(s);
    }
    find_leaving(what.saved);
    for (size_t s = 0; what.forgets_results && s < whole_; ++s)
      leaves_[function_.ops[segments_[s].back()].first_result] = false;
  }

  ir::Module run() {
    copy_parameters(builder_, function_, map_);
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (o >= forward_) {
        for (const ValueId id : function_.inputs(function_.ops[o])) need(id);
      }
      copy(o);
    }
    ir::Module result{module_.source, {module_.functions.begin(), module_.functions.end() - 1}};
    result.functions.push_back(builder_.finish(copies(function_.results, map_)));
    ir::verify(result);
    return result;
  }

 private:
  static constexpr int kNone = -1;

  int segment(ValueId id) const {
    if (id == ValueId::none || makers_[ir::index(id)] < 0) return kNone;
    return nth(segment_of_, makers_[ir::index(id)]);
  }

  // Marks the values that are kept in any case: those that the forward pass reads outside of their segment, and the
  // saved ones.
  void find_leaving(const std::vector<bool>& saved) {
    for (size_t o = 0; o < saved.size(); ++o) {
      for (uint32_t i = 0; saved[o] && i < function_.ops[o].result_count; ++i)
        leaves_[function_.ops[o].first_result + i] = true;
    }
    for (const ValueId id : function_.results) leaves_[ir::index(id)] = true;
    for (size_t o = 0; o < forward_; ++o) {
      for (const ValueId id : function_.inputs(function_.ops[o])) {
        if (segment(id) != kNone && segment(id) != segment_of_[o]) leaves_[ir::index(id)] = true;
      }
    }
  }

  bool is_forgotten(ValueId id) const {
    return segment(id) != kNone && !leaves_[ir::index(id)] && !constant_[ir::index(id)];
  }

  void need(ValueId id) {
    if (!is_forgotten(id)) return;
    const auto s = static_cast<size_t>(segment(id));
    if (repeated_.insert(s).second) repeat(s);
  }

  void repeat(size_t s) {
    ValueMap& again = again_[s]   = map_;
    const std::vector<size_t> ops = s < whole_ ? segments_[s] : forgetting_.repeated(segments_[s]);
    const auto changed            = converting_again(function_, ops);
    for (const size_t o : ops) {
      const ir::Op& op = function_.ops[o];
      if (constant_[op.first_result]) continue;
      const auto own        = changed.find(o);
      const auto attributes = marked(own == changed.end() ? *op.attributes : own->second, kRecompute, s);
      const auto first      = static_cast<int32_t>(
          builder_.append(op.def, op.callee, attributes, copies(function_.inputs(op), again), op.result_count));
      for (uint32_t i = 0; i < op.result_count; ++i) {
        const ValueId old = function_.output(op, i), copy = static_cast<ValueId>(first + static_cast<int32_t>(i));
        if (!function_.value(old).name.empty()) builder_.set_name(copy, function_.value(old).name + ".again");
        builder_.annotate(copy, function_.value(old).annotation);
        if (s < whole_ || is_forgotten(old)) again.set(old, copy);
      }
    }
  }

  void copy(size_t o) {
    const ir::Op& op = function_.ops[o];
    std::vector<ValueId> operands;
    for (const ValueId id : function_.inputs(op))
      operands.push_back(o >= forward_ && is_forgotten(id) ? nth(again_, segment(id))(id) : map_(id));
    const bool inside = segment_of_[o] != kNone;
    const auto first  = static_cast<int32_t>(
        builder_.append(op.def, op.callee,
                        inside ? marked(*op.attributes, kSegment, static_cast<size_t>(segment_of_[o])) : op.attributes,
                         operands, op.result_count));
    for (uint32_t i = 0; i < op.result_count; ++i) {
      const ValueId old = function_.output(op, i), copy = static_cast<ValueId>(first + static_cast<int32_t>(i));
      builder_.set_name(copy, function_.value(old).name);
      builder_.annotate(copy, function_.value(old).annotation);
      map_.set(old, copy);
    }
  }

  ir::AttributesRef marked(ir::Attributes attributes, std::string_view mark, size_t s) {
    return builder_.share(attributes.set(std::string(mark), static_cast<int64_t>(s) + 1));
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const std::vector<Segment>& segments_;
  const size_t whole_;
  const size_t forward_;
  const std::vector<bool> constant_;
  const Forgetting forgetting_;
  std::vector<int> segment_of_;  // per op
  const std::vector<int32_t> makers_;
  std::vector<bool> leaves_;     // per value
  std::vector<ValueMap> again_;  // per segment that was repeated
  std::set<size_t> repeated_;
  ir::FunctionBuilder builder_;
  ValueMap map_;
};

bool has_fused_attention(const ir::Module& module) {
  const auto& ops = module.entry().ops;
  return std::any_of(ops.begin(), ops.end(),
                     [](const ir::Op& op) { return !op.is_call() && op.def->kernels == ir::Kernels::attention; });
}

std::string where(const ir::Module& module) { return module.source + ": @" + module.entry().name; }

ir::Module flat(const ir::Module& module) { return module.functions.size() > 1 ? inline_calls(module) : module; }

// The blocks first .. last - 1 of a chain.
struct Stretch {
  size_t first, last;
  size_t size() const { return last - first; }
};

std::vector<Stretch> stretches(size_t blocks, const std::vector<ActivationLimit>& stages) {
  std::vector<Stretch> all;
  size_t first = 0;
  for (const ActivationLimit& stage : stages) {
    const size_t last = first + std::min(stage.blocks, blocks - first);
    all.push_back({first, last});
    first = last;
  }
  return all;
}

// The best segments, found stage by stage, since each stage has its own limit.
std::vector<Segment> best_segments(const ir::Module& module, const std::vector<ActivationLimit>& limits) {
  const Chain chain(module, forward_blocks(module));
  const std::vector<Stretch> parts = stretches(chain.size(), limits);
  std::vector<Segment> segments;
  for (size_t stage = 0; stage < limits.size(); ++stage) {
    const Stretch& part               = parts[stage];
    const std::vector<Choice> choices = chain.choices(part.first, part.last);
    if (choices.empty()) continue;
    for (const size_t pick : best_plan(part.size(), choices, limits[stage].bytes, limits[stage].in_flight).picks) {
      const std::vector<Segment> more = chain.segments(choices[pick], part.first);
      segments.insert(segments.end(), more.begin(), more.end());
    }
  }
  return segments;
}

// Joins up to `count` consecutive blocks to a segment. The blocks are divided into `stages` equal shares, and no
// segment crosses from one share into the next.
std::vector<Segment> joined(const ir::Module& module, const std::vector<Segment>& blocks, int count, int stages) {
  const ir::Function& function = module.entry();
  const auto follows           = [&](const Segment& first, const Segment& next) {
    for (size_t o = first.back() + 1; o < next.front(); ++o) {
      if (!is_constant(function.ops[o])) return false;
    }
    return true;
  };
  std::vector<Segment> segments;
  int length = 0;
  for (size_t b = 0; b < blocks.size(); ++b) {
    const size_t stage = b * static_cast<size_t>(stages) / blocks.size();
    const bool cut     = b == 0 || length == count || (b - 1) * static_cast<size_t>(stages) / blocks.size() != stage ||
                     !follows(blocks[b - 1], blocks[b]);
    if (cut) segments.emplace_back();
    length = cut ? 1 : length + 1;
    segments.back().insert(segments.back().end(), blocks[b].begin(), blocks[b].end());
  }
  return segments;
}

}  // namespace

struct ActivationPlans::Stage {
  size_t blocks;
  std::vector<Choice> choices;
  double in_flight;

  Bytes memory(Bytes limit) const {
    return choices.empty() ? Bytes(0) : best_plan(blocks, choices, limit, in_flight).memory(in_flight);
  }
};

ActivationPlans::ActivationPlans(const ir::Module& original, std::vector<ActivationLimit> stages) {
  const ir::Module module = flat(original);
  const Chain chain(module, forward_blocks(module));
  const std::vector<Stretch> parts = stretches(chain.size(), stages);
  for (size_t s = 0; s < stages.size(); ++s)
    stages_.push_back(std::make_shared<const Stage>(
        Stage{parts[s].size(), chain.choices(parts[s].first, parts[s].last), stages[s].in_flight}));
}

std::vector<ActivationRange> ActivationPlans::ranges() const {
  std::vector<ActivationRange> ranges;
  for (const auto& stage : stages_)
    ranges.push_back({stage->memory(Bytes(0)), stage->memory(Bytes(std::numeric_limits<double>::infinity()))});
  return ranges;
}

std::vector<Bytes> ActivationPlans::memory(const std::vector<Bytes>& limits) const {
  std::vector<Bytes> memory;
  for (size_t s = 0; s < stages_.size(); ++s) memory.push_back(stages_[s]->memory(limits[s]));
  return memory;
}

bool has_blocks(const ir::Module& module) { return !forward_blocks(flat(module)).empty(); }

Recompute read_recompute(std::string_view text, const std::string& place) {
  if (text == "none") return {Recompute::Kind::none};
  if (text == "selective") return {Recompute::Kind::selective};
  if (text == "activation") return {Recompute::Kind::activation};
  if (text == "op") return {Recompute::Kind::op};
  if (text == "full") return {Recompute::Kind::blocks, 1};
  if (text == "optimal") return {Recompute::Kind::optimal};
  constexpr std::string_view kBlock = "block(";
  if (text.starts_with(kBlock) && text.ends_with(")")) {
    const std::string_view number = text.substr(kBlock.size(), text.size() - kBlock.size() - 1);
    const int count               = parse_number<int>(number).value_or(0);
    if (count > 0) return {Recompute::Kind::blocks, count};
  }
  throw Error(place, "\"" + std::string(text) +
                         "\" is no way to recompute; use none, activation, selective, op, full, block(N) with N of 1 "
                         "or more, or optimal");
}

std::string to_string(const Recompute& how) {
  switch (how.kind) {
    case Recompute::Kind::none: return "none";
    case Recompute::Kind::selective: return "selective";
    case Recompute::Kind::activation: return "activation";
    case Recompute::Kind::op: return "op";
    case Recompute::Kind::optimal: return "optimal";
    case Recompute::Kind::blocks: break;
  }
  return how.blocks == 1 ? "full" : "block(" + std::to_string(how.blocks) + ")";
}

namespace {

// With what fused kernels make again.
ir::Module repeated(const ir::Module& module, const ir::OpTable& ops, Repetition what, bool fused) {
  std::vector<Segment>& segments = what.segments;
  if (fused) {
    std::vector<bool> taken(module.entry().ops.size());
    for (const Segment& segment : segments) {
      for (const size_t o : segment) taken[o] = true;
    }
    const std::vector<Segment> more = fused_values(module, taken);
    segments.insert(segments.end(), more.begin(), more.end());
  }
  return segments.empty() ? module : Repeater(module, ops, what).run();
}

RefusalError no_blocks(const ir::Module& module, std::string_view instead) {
  return {Cause::program, where(module),
          "repeats no block of ops that could be recomputed; use " + std::string(instead)};
}

Repetition but_for_saved(const ir::Module& module, const std::vector<bool>& reduced) {
  const std::vector<Segment> layers = forward_blocks(module);
  if (layers.empty()) throw no_blocks(module, "none");
  std::vector<bool> saved = saved_results(module, layers, reduced);
  if (std::find(saved.begin(), saved.end(), true) == saved.end())
    throw RefusalError(Cause::program, where(module),
                       "has no product with a matrix of weights in its blocks whose result op would keep; use full or "
                       "none");
  return {.segments = layers, .saved = std::move(saved)};
}

}  // namespace

ir::Module recompute(const ir::Module& original, const ir::OpTable& ops, const Recompute& how, int stages, bool fused,
                     const std::vector<bool>& reduced) {
  if (how.kind == Recompute::Kind::none) {
    const bool backward = forward_ops(original.entry()) < original.entry().ops.size();
    return fused && backward && original.functions.size() == 1 ? repeated(original, ops, {}, true) : original;
  }
  const ir::Module module = flat(original);
  if (forward_ops(module.entry()) == module.entry().ops.size())
    throw RefusalError(Cause::program, where(module), "has no backward pass to recompute for; differentiate it first");
  std::vector<Segment> segments;
  if (how.kind == Recompute::Kind::selective) {
    segments = attention_cores(module);
    if (segments.empty() && has_fused_attention(module))
      return repeated(module, ops, {}, fused);  // whose gradient makes scores again
    if (segments.empty())
      throw RefusalError(
          Cause::program, where(module),
          std::string("has no attention core (a Softmax between two products of activations) to recompute; use ") +
              (forward_blocks(module).empty() ? "none" : "full"));
  } else if (how.kind == Recompute::Kind::activation) {
    segments = activation_results(module);
    if (segments.empty())
      throw RefusalError(Cause::program, where(module),
                         "keeps no result of an activation function for a product alone; use full or none");
  } else if (how.kind == Recompute::Kind::optimal) {
    return repeated(module, ops, {.segments = best_segments(module, how.limits)}, fused);
  } else if (how.kind == Recompute::Kind::op) {
    return repeated(module, ops, but_for_saved(module, reduced), fused);
  } else {
    segments = joined(module, forward_blocks(module), how.blocks, stages);
    if (segments.empty()) throw no_blocks(module, attention_cores(module).empty() ? "none" : "selective or none");
  }
  const size_t whole = segments.size();
  return repeated(module, ops, {std::move(segments), whole, how.kind == Recompute::Kind::activation, {}}, fused);
}

namespace definitions::recompute {
PassDef row() {
  return {"recompute",
          "repeat parts of the forward pass in the backward pass instead of remembering their values: mode=selective "
          "(attention cores), activation (results of activation functions and gates), op (each repeated block but for "
          "attention and every second product), full (each repeated block; the default) or block with n blocks in a "
          "segment; no segment "
          "crosses the border of one of `stages` equal shares of the blocks; mode=optimal with bytes: the least extra "
          "arithmetic with which the activations take at most that many bytes",
          {"mode", "n", "stages", "bytes"},
          [](const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments) {
            const std::string mode = word_argument(arguments, "mode", "full");
            const int blocks       = degree_argument(arguments, "n", 1);
            Recompute how          = mode == "block" ? Recompute{Recompute::Kind::blocks, blocks}
                                                     : read_recompute(mode, "--pass recompute: mode");
            how.limits             = {{Bytes(static_cast<double>(integer_argument(arguments, "bytes", 0)))}};
            return transform::recompute(module, ops, how, degree_argument(arguments, "stages", 1));
          }};
}
}  // namespace definitions::recompute

}  // namespace foreflow::transform
