#include "transform/recompute/chain.h"

#include <algorithm>
#include <set>
#include <utility>

#include "foreflow/base/nth.h"
#include "foreflow/ir/uses.h"
#include "foreflow/ir/views.h"
#include "transform/blocks/attention_cores.h"
#include "transform/blocks/blocks.h"
#include "transform/rewrite/op_types.h"

namespace foreflow::transform {

using ir::ValueId;

Forgetting::Forgetting(const ir::Function& function, size_t forward, std::vector<bool> saved)
    : function_(function),
      makers_(ir::makers_of(function)),
      constant_(constant_values(function)),
      saved_(std::move(saved)),
      needed_(function.values.size()),
      returned_(function.values.size()),
      readers_(function.values.size()) {
  for (const ValueId id : function.results) returned_[ir::index(id)] = true;
  for (size_t o = 0; o < function.ops.size(); ++o) {
    for (const ValueId id : function.inputs(function.ops[o])) {
      if (id == ValueId::none) continue;
      if (o < forward) {
        readers_[ir::index(id)].push_back(o);
      } else {
        needed_[ir::index(id)] = true;
      }
    }
  }
}

bool Forgetting::is_inner(ValueId id, const Segment& segment) const {
  const bool gapless = segment.back() - segment.front() + 1 == segment.size();
  const auto inside  = [&](size_t o) {
    return o >= segment.front() && o <= segment.back() &&
           (gapless || std::binary_search(segment.begin(), segment.end(), o));
  };
  const int32_t made = makers_[ir::index(id)];
  if (made >= 0 && !saved_.empty() && nth(saved_, made)) return false;
  return made >= 0 && inside(static_cast<size_t>(made)) && !constant_[ir::index(id)] && !returned_[ir::index(id)] &&
         std::all_of(readers_[ir::index(id)].begin(), readers_[ir::index(id)].end(), inside);
}

std::vector<size_t> Forgetting::repeated(const Segment& segment) const {
  std::vector<size_t> ops;
  std::set<ValueId> wanted;
  for (size_t i = segment.size(); i-- > 0;) {
    const ir::Op& op = function_.ops[segment[i]];
    bool again       = false;
    for (uint32_t r = 0; r < op.result_count; ++r) {
      const ValueId id = function_.output(op, r);
      again            = again || wanted.contains(id) || (is_needed(id) && is_inner(id, segment));
    }
    if (!again) continue;
    ops.push_back(segment[i]);
    for (const ValueId id : function_.inputs(op)) {
      if (id != ValueId::none && is_inner(id, segment)) wanted.insert(id);
    }
  }
  std::reverse(ops.begin(), ops.end());
  return ops;
}

Chain::Chain(const ir::Module& module, std::vector<Segment> blocks)
    : module_(module),
      function_(module.entry()),
      interpretation_(interpret::interpret_mixed(module, module.functions.size() - 1)),
      blocks_(std::move(blocks)),
      cores_(blocks_.size()),
      forgetting_(function_, forward_ops(function_)),
      in_block_(function_.ops.size()) {
  const std::vector<Segment> cores = attention_cores(module);
  for (size_t b = 0; b < blocks_.size(); ++b) {
    for (const size_t o : blocks_[b]) in_block_[o] = true;
    for (const Segment& core : cores) {
      if (std::includes(blocks_[b].begin(), blocks_[b].end(), core.begin(), core.end())) cores_[b].push_back(core);
    }
  }
}

bool Chain::follows(size_t block) const {
  for (size_t o = blocks_[block - 1].back() + 1; o < blocks_[block].front(); ++o) {
    if (!is_constant(function_.ops[o])) return false;
  }
  return true;
}

std::vector<Choice> Chain::choices(size_t first, size_t last) const {
  std::vector<Choice> all;
  for (size_t b = first; b < last; ++b) {
    all.push_back(measured(b, 1, keep));
    if (!cores_[b].empty()) all.push_back(measured(b, 1, cores));
    for (size_t end = b + 1; end <= last && end - b <= kLongest && (end == b + 1 || follows(end - 1)); ++end)
      all.push_back(measured(b, end - b, whole));
  }
  for (Choice& choice : all) choice.first -= first;
  return all;
}

std::vector<Segment> Chain::segments(const Choice& choice, size_t first) const {
  const size_t begin = first + choice.first;
  if (choice.way == keep) return {};
  if (choice.way == cores) return cores_[begin];
  Segment joined;
  for (size_t b = begin; b < begin + choice.length; ++b)
    joined.insert(joined.end(), blocks_[b].begin(), blocks_[b].end());
  return {joined};
}

Choice Chain::measured(size_t first, size_t length, Way way) const {
  Choice choice{first, length, way, Bytes(0), Bytes(0), Flops(0)};
  const std::vector<Segment> segments = this->segments(choice, 0);
  std::set<size_t> kept, repeated;  // values that own memory
  std::set<ValueId> forgotten;
  for (const Segment& segment : segments) {
    for (const size_t o : forgetting_.repeated(segment)) {
      const ir::Op& op = function_.ops[o];
      choice.extra += flops(o);
      for (uint32_t i = 0; i < op.result_count; ++i) {
        const ValueId id = function_.output(op, i);
        if (!forgetting_.is_inner(id, segment)) continue;
        forgotten.insert(id);
        if (forgetting_.is_needed(id)) repeated.insert(root(id));
      }
      for (const ValueId id : function_.inputs(op)) {  // what it starts from stays
        if (id != ValueId::none && !forgetting_.is_inner(id, segment)) kept.insert(root(id));
      }
    }
  }
  const Segment& from = blocks_[first];
  const Segment& to   = blocks_[first + length - 1];
  const auto inside   = [&](size_t o) { return o >= from.front() && o <= to.back() && in_block_[o]; };
  for (size_t b = first; b < first + length; ++b) {
    for (const size_t o : blocks_[b]) {
      for (uint32_t i = 0; i < function_.ops[o].result_count; ++i) {
        const ValueId id = function_.output(function_.ops[o], i);
        if (forgetting_.is_constant(id)) continue;
        const auto& readers = forgetting_.readers(id);
        const bool leaves =
            std::any_of(readers.begin(), readers.end(), [&](size_t r) { return in_block_[r] && !inside(r); });
        if (leaves || (forgetting_.is_needed(id) && !forgotten.contains(id))) kept.insert(root(id));
      }
    }
  }
  const auto& values = interpretation_.entry().values;
  for (const size_t value : kept) {
    const int32_t maker = forgetting_.maker(static_cast<ValueId>(value));
    if (maker >= 0 && inside(static_cast<size_t>(maker)) && !forgetting_.is_constant(static_cast<ValueId>(value)))
      choice.kept += ir::bytes_of(values[value].type);
  }
  for (const size_t value : repeated) choice.repeated += ir::bytes_of(values[value].type);
  return choice;
}

// The value whose memory this one looks at.
size_t Chain::root(ValueId id) const {
  const auto& values = interpretation_.entry().values;
  while (forgetting_.maker(id) >= 0) {
    const ir::Op& op  = nth(function_.ops, forgetting_.maker(id));
    const auto inputs = function_.inputs(op);
    const bool view   = ir::shares_operand(op) && op.result_count == 1 &&
                      ir::bytes_of(values[ir::index(inputs[0])].type) == ir::bytes_of(values[ir::index(id)].type);
    if (!view) break;
    id = inputs[0];
  }
  return ir::index(id);
}

Flops Chain::flops(size_t op) const {
  const OpTypes types(function_, function_.ops[op], interpretation_.entry().values);
  return function_.ops[op].def->work(types.call(), types.outputs).flops;
}

}  // namespace foreflow::transform
