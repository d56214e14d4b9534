#include "transform/replica/trained_weights.h"

#include <algorithm>
#include <functional>

#include "foreflow/ir/builder.h"
#include "foreflow/ir/uses.h"
#include "foreflow/transform/split_data.h"
#include "transform/rewrite/copy.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// One op of one weight (w, dw, states) or of many (w1, .., wn, dw1, .., dwn).
std::vector<TrainedWeight> rows_of(const ir::Function& entry, size_t o) {
  const ir::Op& op  = entry.ops[o];
  const auto inputs = entry.inputs(op);
  std::vector<TrainedWeight> rows;
  const auto add = [&](size_t row, ValueId gradient) {
    rows.push_back({o, row, inputs[row], gradient, {}, {}, gradient});
  };
  if (inputs.size() == size_t{2} * op.result_count) {
    for (size_t row = 0; row < op.result_count; ++row) {
      add(row, inputs[row + op.result_count]);
      rows.back().results = {entry.output(op, row)};
    }
    return rows;
  }
  add(0, inputs[1]);
  rows.back().states = {inputs.begin() + 2, inputs.end()};
  for (uint32_t i = 0; i < op.result_count; ++i) rows.back().results.push_back(entry.output(op, i));
  return rows;
}

// Which weights of an entry are updated with a sum over the ways. Pass it by reference: it holds the uses of all
// values.
class SummedUpdates {
 public:
  SummedUpdates(const ir::Function& entry, const interpret::Values<LaidOut>& values)
      : entry_(entry), values_(values), uses_(ir::uses_of(entry)), makers_(ir::makers_of(entry)) {}

  // The weights that op `o` updates; none if it is no optimizer.
  std::vector<TrainedWeight> rows(size_t o) const {
    const ir::Op& op = entry_.ops[o];
    if (op.is_call() || op.def->role != ir::Role::optimizer || op.operand_count < 2) return {};
    std::vector<TrainedWeight> rows = rows_of(entry_, o);
    for (TrainedWeight& row : rows) row.gradient = before_conversion(row.taken);
    return rows;
  }

  bool operator()(const TrainedWeight& row) const {
    return is_parameter(row.weight) && row.gradient != ValueId::none && !is_parameter(row.gradient) &&
           values_[ir::index(row.weight)].value.type.is_tensor() &&
           values_[ir::index(row.gradient)].layout.is_partial() &&
           std::all_of(row.states.begin(), row.states.end(),
                       [&](ValueId id) { return is_parameter(id) && uses_[ir::index(id)] == 1; });
  }

 private:
  bool is_parameter(ValueId id) const { return id != ValueId::none && ir::index(id) < entry_.parameters.size(); }

  // The operand of the Cast that made the value if it belongs to a sum over ranks, and nothing else reads either.
  ValueId before_conversion(ValueId id) const {
    if (id == ValueId::none || makers_[ir::index(id)] < 0 || uses_[ir::index(id)] != 1) return id;
    const ir::Op& op = entry_.ops[static_cast<size_t>(makers_[ir::index(id)])];
    if (op.is_call() || op.attributes->find(kOfSum) == nullptr) return id;
    const ValueId before = entry_.inputs(op)[0];
    return uses_[ir::index(before)] == 1 ? before : id;
  }

  const ir::Function& entry_;
  const interpret::Values<LaidOut>& values_;
  const std::vector<int32_t> uses_, makers_;
};

bool updates_both(const std::vector<TrainedWeight>& rows, const SummedUpdates& summed) {
  return std::any_of(rows.begin(), rows.end(), std::cref(summed)) &&
         !std::all_of(rows.begin(), rows.end(), std::cref(summed));
}

// Appends the updates of those rows that are, or are not, summed.
void copy_rows(ir::FunctionBuilder& builder, const ir::Op& op, const std::vector<TrainedWeight>& rows,
               const std::vector<bool>& chosen, const ir::Function& entry, ValueMap& map) {
  std::vector<ValueId> weights, gradients, results;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!chosen[i]) continue;
    weights.push_back(map(rows[i].weight));
    gradients.push_back(map(rows[i].taken));
    results.push_back(rows[i].results.front());
  }
  weights.insert(weights.end(), gradients.begin(), gradients.end());
  const size_t first = ir::index(builder.append(op.def, op.callee, op.attributes, weights, results.size()));
  for (size_t i = 0; i < results.size(); ++i) {
    const auto made = static_cast<ValueId>(first + i);
    builder.set_name(made, entry.value(results[i]).name);
    builder.annotate(made, entry.value(results[i]).annotation);
    map.set(results[i], made);
  }
}

}  // namespace

std::vector<TrainedWeight> trained_weights(const ir::Function& entry, const interpret::Values<LaidOut>& values) {
  const SummedUpdates summed(entry, values);
  std::vector<TrainedWeight> all;
  for (size_t o = 0; o < entry.ops.size(); ++o) {
    const std::vector<TrainedWeight> rows = summed.rows(o);
    if (std::all_of(rows.begin(), rows.end(), std::cref(summed))) all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

std::optional<ir::Module> with_separate_updates(const ir::Module& module, const interpret::Values<LaidOut>& values) {
  const ir::Function& entry = module.entry();
  const SummedUpdates summed(entry, values);
  bool any = false;
  ir::FunctionBuilder builder(entry.name, no_ops());
  ValueMap map(entry.values.size());
  copy_parameters(builder, entry, map);
  for (size_t o = 0; o < entry.ops.size(); ++o) {
    const std::vector<TrainedWeight> rows = summed.rows(o);
    if (!updates_both(rows, summed)) {
      copy_op(builder, entry, entry.ops[o], map);
      continue;
    }
    any = true;
    std::vector<bool> chosen;
    for (const TrainedWeight& row : rows) chosen.push_back(summed(row));
    copy_rows(builder, entry.ops[o], rows, chosen, entry, map);
    chosen.flip();
    copy_rows(builder, entry.ops[o], rows, chosen, entry, map);
  }
  if (!any) return std::nullopt;
  ir::Module result       = module;
  result.functions.back() = builder.finish(copies(entry.results, map));
  return result;
}

}  // namespace foreflow::transform
