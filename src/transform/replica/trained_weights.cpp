#include "transform/replica/trained_weights.h"

#include <algorithm>

#include "foreflow/ir/uses.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// One op of one weight (w, dw, states) or of many (w1, .., wn, dw1, .., dwn).
std::vector<TrainedWeight> rows_of(const ir::Function& entry, size_t o) {
  const ir::Op& op  = entry.ops[o];
  const auto inputs = entry.inputs(op);
  std::vector<TrainedWeight> rows;
  if (inputs.size() == size_t{2} * op.result_count) {
    for (size_t row = 0; row < op.result_count; ++row)
      rows.push_back({o, row, inputs[row], inputs[row + op.result_count], {}, {entry.output(op, row)}});
    return rows;
  }
  TrainedWeight one{o, 0, inputs[0], inputs[1], {inputs.begin() + 2, inputs.end()}, {}};
  for (uint32_t i = 0; i < op.result_count; ++i) one.results.push_back(entry.output(op, i));
  rows.push_back(std::move(one));
  return rows;
}

}  // namespace

std::vector<TrainedWeight> trained_weights(const ir::Function& entry, const interpret::Values<LaidOut>& values) {
  const std::vector<int32_t> uses = ir::uses_of(entry);
  const auto is_parameter = [&](ValueId id) { return id != ValueId::none && ir::index(id) < entry.parameters.size(); };
  const auto fits         = [&](const TrainedWeight& row) {
    return is_parameter(row.weight) && row.gradient != ValueId::none && !is_parameter(row.gradient) &&
           values[ir::index(row.weight)].value.type.is_tensor() &&
           values[ir::index(row.gradient)].layout.is_partial() &&
           std::all_of(row.states.begin(), row.states.end(),
                               [&](ValueId id) { return is_parameter(id) && uses[ir::index(id)] == 1; });
  };
  std::vector<TrainedWeight> all;
  for (size_t o = 0; o < entry.ops.size(); ++o) {
    if (entry.ops[o].is_call() || entry.ops[o].def->role != ir::Role::optimizer || entry.ops[o].operand_count < 2)
      continue;
    const std::vector<TrainedWeight> rows = rows_of(entry, o);
    if (std::all_of(rows.begin(), rows.end(), fits)) all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

}  // namespace foreflow::transform
