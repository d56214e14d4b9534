#include "transform/context/placed_heads.h"

#include <algorithm>

#include "foreflow/base/nth.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;
using Placed = std::vector<bool>;  // per op

// Returns true if it exchanges the heads and the positions of [b,n,s,d] and leaves each head as it is.
bool turns_heads(const ir::Op& op) { return permutes(&op, {0, 2, 1, 3}); }

// Marks the Transpose that `id` comes from, where at most factors, rotations, conversions and views of groups of heads
// are between.
void mark_makers(const KnownFunction& of, ValueId id, Placed& placed) {
  for (const ir::Op* maker = of.made_by(id); maker != nullptr && !maker->is_call(); maker = of.made_by(id)) {
    if (turns_heads(*maker)) nth(placed, of.makers[ir::index(id)]) = true;
    const bool passes = maker->def->within_heads || maker->def->copy == ir::Copy::converted || is_reshape(*maker) ||
                        of.factor_of(*maker).has_value();
    if (!passes) return;
    id = of.function.inputs(*maker)[0];
  }
}

// Marks the Transposes of what the cores make, behind views, as placed or, if that is copied, as not.
void mark_readers(const KnownFunction& of, const AttentionCores& cores, bool copies_result, Placed& placed) {
  std::vector<bool> attends(of.function.values.size());  // per value: a core made it
  for (const auto& [last, core] : cores) attends[ir::index(of.function.output(of.function.ops[last], 0))] = true;
  for (size_t o = 0; o < of.function.ops.size(); ++o) {
    const ir::Op& op = of.function.ops[o];
    if (op.is_call() || op.operand_count == 0 || of.function.inputs(op)[0] == ValueId::none) continue;
    if (!attends[ir::index(of.function.inputs(op)[0])]) continue;
    if (is_reshape(op)) attends[op.first_result] = true;
    if (turns_heads(op)) placed[o] = !copies_result;
  }
}

bool is_read_as_heads(const KnownFunction& of, ValueId id, const Placed& heads) {
  const auto readers = of.readers[ir::index(id)];
  return !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](int32_t o) {
    const ir::Op& reader = nth(of.function.ops, o);
    if (nth(heads, o)) return true;
    return is_reshape(reader) && is_read_as_heads(of, of.function.output(reader, 0), heads);
  });
}

// Returns true if all readers of the results take them as heads, where they are.
bool splits_heads(const KnownFunction& of, const ir::Op& op, const Placed& heads) {
  if (op.is_call() || op.def->name != "Split") return false;
  for (uint32_t i = 0; i < op.result_count; ++i) {
    if (!is_read_as_heads(of, of.function.output(op, i), heads)) return false;
  }
  return true;
}

}  // namespace

std::vector<bool> placed_beside(const KnownFunction& of, const AttentionCores& cores, bool copies_result) {
  Placed placed(of.function.ops.size());
  for (const auto& [last, core] : cores) {
    for (const ValueId id : {core.q, core.k, core.v}) mark_makers(of, id, placed);
  }
  mark_readers(of, cores, copies_result, placed);
  Placed heads = placed;  // with the columns of keys, which become rows
  for (const auto& [last, core] : cores) {
    if (!core.keys_are_rows && permutes(of.made_by(core.k), {0, 2, 3, 1}))
      nth(heads, of.makers[ir::index(core.k)]) = true;
  }
  for (size_t o = 0; o < of.function.ops.size(); ++o) {
    if (splits_heads(of, of.function.ops[o], heads)) placed[o] = true;
  }
  return placed;
}

}  // namespace foreflow::transform
