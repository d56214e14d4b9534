#include "transform/replica/trained_weights.h"

#include <algorithm>
#include <functional>
#include <map>

#include "foreflow/ir/builder.h"
#include "foreflow/ir/uses.h"
#include "foreflow/transform/split_data.h"
#include "transform/layout/gradient_sum.h"
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

// Which weights of an entry are updated with a sum over copies. Pass it by reference: it holds the uses of all values.
class SummedUpdates {
 public:
  SummedUpdates(const ir::Function& entry, const interpret::Values<LaidOut>& values, int ways)
      : entry_(entry), values_(values), ways_(ways), uses_(ir::uses_of(entry)), makers_(ir::makers_of(entry)) {
    for (size_t o = 0; o < entry.ops.size(); ++o) {
      for (TrainedWeight& row : rows_taken(o)) note_copy(row);
    }
  }

  // The weights that op `o` updates; none if it is no optimizer.
  std::vector<TrainedWeight> rows(size_t o) const {
    std::vector<TrainedWeight> rows = rows_taken(o);
    for (TrainedWeight& row : rows) {
      const GradientSum sum = gradient_sum(entry_, makers_, uses_, row.taken);
      const auto copies     = copies_.find(sum.terms.front());
      const bool complete   = sum.terms.size() > 1 && copies != copies_.end() && copies->second == sum.terms.size();
      if (complete) {
        take(row, sum);
      } else {
        take_converted(row);
      }
    }
    return rows;
  }

  bool operator()(const TrainedWeight& row) const {
    const bool summed = ways_ == 1 ? row.ranks > 1 : is_partial(row.gradient);
    return summed && is_updated(row);
  }

 private:
  std::vector<TrainedWeight> rows_taken(size_t o) const {
    const ir::Op& op = entry_.ops[o];
    if (op.is_call() || op.def->role != ir::Role::optimizer || op.operand_count < 2) return {};
    return rows_of(entry_, o);
  }

  // Counts a weight among those of the ranks that hold copies of it.
  void note_copy(TrainedWeight& row) {
    const GradientSum sum = gradient_sum(entry_, makers_, uses_, row.taken);
    if (sum.terms.size() == 1) return;
    take(row, sum);
    if (is_updated(row) && (ways_ == 1 || is_partial(row.gradient))) ++copies_[sum.terms.front()];
  }

  static void take(TrainedWeight& row, const GradientSum& sum) {
    row.gradient = sum.own;
    row.sums     = sum.ops;
    row.ranks    = sum.terms.size();
    row.rank     = static_cast<size_t>(std::find(sum.terms.begin(), sum.terms.end(), sum.own) - sum.terms.begin());
  }

  // If ranks have summed the gradient already, takes it from before the Cast that converts their sum back.
  void take_converted(TrainedWeight& row) const {
    const ValueId id = row.taken;
    if (id == ValueId::none || makers_[ir::index(id)] < 0 || uses_[ir::index(id)] != 1) return;
    const auto maker = static_cast<size_t>(makers_[ir::index(id)]);
    const ir::Op& op = entry_.ops[maker];
    if (op.is_call() || op.attributes->find(kOfSum) == nullptr) return;
    const ValueId before = entry_.inputs(op)[0];
    if (uses_[ir::index(before)] != 1) return;
    row.gradient = before;
    row.sums     = {maker};
  }

  bool is_parameter(ValueId id) const { return id != ValueId::none && ir::index(id) < entry_.parameters.size(); }
  bool is_partial(ValueId id) const { return id != ValueId::none && values_[ir::index(id)].layout.is_partial(); }
  bool is_updated(const TrainedWeight& row) const {
    return is_parameter(row.weight) && row.gradient != ValueId::none && !is_parameter(row.gradient) &&
           values_[ir::index(row.weight)].value.type.is_tensor() &&
           std::all_of(row.states.begin(), row.states.end(),
                       [&](ValueId id) { return is_parameter(id) && uses_[ir::index(id)] == 1; });
  }

  const ir::Function& entry_;
  const interpret::Values<LaidOut>& values_;
  const int ways_;
  const std::vector<int32_t> uses_, makers_;
  std::map<ValueId, size_t> copies_;  // by the gradient of rank 0: of how many ranks the weights are updated
};

// Tells rank 0 of each weight which the others are.
void join_copies(std::vector<TrainedWeight>& weights, const ir::Function& entry) {
  std::map<ValueId, std::vector<size_t>> by_first;
  const std::vector<int32_t> uses = ir::uses_of(entry), makers = ir::makers_of(entry);
  for (size_t i = 0; i < weights.size(); ++i) {
    TrainedWeight& weight = weights[i];
    if (weight.ranks == 1) {
      weight.copies = {i};
      continue;
    }
    auto& copies = by_first[gradient_sum(entry, makers, uses, weight.taken).terms.front()];
    copies.resize(weight.ranks, SIZE_MAX);
    copies[weight.rank] = i;
  }
  for (const auto& [first, copies] : by_first) {
    FOREFLOW_CHECK(std::find(copies.begin(), copies.end(), SIZE_MAX) == copies.end(), "every rank updates its copy");
    weights[copies.front()].copies = copies;
  }
}

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

std::vector<TrainedWeight> trained_weights(const ir::Function& entry, const interpret::Values<LaidOut>& values,
                                           int ways) {
  const SummedUpdates summed(entry, values, ways);
  std::vector<TrainedWeight> all;
  for (size_t o = 0; o < entry.ops.size(); ++o) {
    const std::vector<TrainedWeight> rows = summed.rows(o);
    if (std::all_of(rows.begin(), rows.end(), std::cref(summed))) all.insert(all.end(), rows.begin(), rows.end());
  }
  join_copies(all, entry);
  return all;
}

std::optional<ir::Module> with_separate_updates(const ir::Module& module, const interpret::Values<LaidOut>& values,
                                                int ways) {
  const ir::Function& entry = module.entry();
  const SummedUpdates summed(entry, values, ways);
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
