#include "transform/replica/early_sums.h"

#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/ir/builder.h"
#include "foreflow/ir/uses.h"
#include "foreflow/transform/split_data.h"
#include "transform/rewrite/copy.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

bool is_part_of_sum(const ir::Op& op) {
  return op.def->role == ir::Role::communication || op.attributes->find(kOfSum) != nullptr;
}

// Per op: whether it is part of a sum that makes the gradient of a weight.
std::vector<bool> parts_of_sums(const ir::Function& entry, const std::vector<TrainedWeight>& weights) {
  const std::vector<int32_t> makers = ir::makers_of(entry);
  std::vector<bool> parts(entry.ops.size());
  std::vector<ValueId> values;
  for (const TrainedWeight& weight : weights) values.push_back(weight.gradient);
  while (!values.empty()) {
    const ValueId value = values.back();
    values.pop_back();
    const int32_t maker = value == ValueId::none ? -1 : makers[ir::index(value)];
    if (maker < 0 || nth(parts, maker) || !is_part_of_sum(nth(entry.ops, maker))) continue;
    nth(parts, maker) = true;
    for (const ValueId id : entry.inputs(nth(entry.ops, maker))) values.push_back(id);
  }
  return parts;
}

// The order of the ops in which each of `parts` follows the op that makes the last of its operands.
std::vector<size_t> order_with(const ir::Function& entry, const std::vector<bool>& parts) {
  const std::vector<int32_t> makers = ir::makers_of(entry);
  std::vector<std::vector<size_t>> after(entry.ops.size());  // per op: the parts that follow it
  std::vector<size_t> place(entry.ops.size());               // per op: itself, or the op behind which it moves
  for (size_t o = 0; o < entry.ops.size(); ++o) {
    place[o] = o;
    if (!parts[o]) continue;
    int64_t last = -1;
    for (const ValueId id : entry.inputs(entry.ops[o])) {
      if (id == ValueId::none || makers[ir::index(id)] < 0) continue;
      last = std::max(last, static_cast<int64_t>(nth(place, makers[ir::index(id)])));
    }
    if (last < 0) continue;
    place[o] = static_cast<size_t>(last);
    after[place[o]].push_back(o);
  }
  std::vector<size_t> order;
  for (size_t o = 0; o < entry.ops.size(); ++o) {
    if (place[o] != o) continue;
    order.push_back(o);
    order.insert(order.end(), after[o].begin(), after[o].end());
  }
  return order;
}

}  // namespace

std::optional<ir::Module> with_early_sums(const ir::Module& module, const std::vector<TrainedWeight>& weights) {
  const ir::Function& entry = module.entry();
  if (std::any_of(entry.ops.begin(), entry.ops.end(), [](const ir::Op& op) { return op.is_call(); })) return {};
  const std::vector<size_t> order = order_with(entry, parts_of_sums(entry, weights));
  if (std::is_sorted(order.begin(), order.end())) return {};
  ir::FunctionBuilder builder(entry.name, no_ops());
  ValueMap map(entry.values.size());
  take_parameters(builder, entry, map);
  for (const size_t o : order) copy_op(builder, entry, entry.ops[o], map);
  ir::Module made;
  made.source    = module.source;
  made.functions = {module.functions.begin(), module.functions.end() - 1};
  made.functions.push_back(builder.finish(copies(entry.results, map)));
  return made;
}

}  // namespace foreflow::transform
