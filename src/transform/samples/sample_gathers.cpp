#include "transform/samples/sample_gathers.h"

#include <algorithm>

#include "foreflow/base/nth.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

bool counts_first(const SampleValues& values, ValueId id, int64_t per) {
  const auto dim = values.dim_of(id);
  return dim && dim->dim == 0 && dim->per == per;
}

// Returns true if element 0 of every tuple of `depth` numbers is the number of the sample, and the others are the same
// in all samples.
bool begins_with_sample(const SampleValues& values, ValueId id, size_t depth) {
  const auto steps = values.steps_of(id);
  if (!steps || values.content(id) != Content::index || depth == 0) return false;
  const ir::Array& numbers = *values.small_of(id).known;
  for (size_t i = 0; i < steps->size(); ++i) {
    if ((*steps)[i] != (i % depth == 0 ? 1 : 0)) return false;
    if (i % depth == 0 && numbers.at(static_cast<int64_t>(i)) != 0) return false;
  }
  return true;
}

bool is_last_axis(const ir::Op& op, size_t rank) {
  const int64_t axis = op.attributes->int_or("axis", 0);
  return axis == -1 || axis == static_cast<int64_t>(rank) - 1;
}

SampleGather tuples_by_sample(const ir::Function& function, const ir::Op& op, const ir::Op* joins,
                              const SampleValues& values, Content from) {
  const auto inputs       = function.inputs(op);
  const ir::Type& indices = values.whole_of(inputs[1]).type;
  const bool from_samples = values.content(inputs[0]) == from && counts_first(values, inputs[0], 1);
  if (!from_samples || op.attributes->int_or("batch_dims", 0) != 0 || !counts_first(values, inputs[1], 1))
    return SampleGather::none;
  if (begins_with_sample(values, inputs[1], static_cast<size_t>(indices.dims.back()))) return SampleGather::tuples;
  if (joins == nullptr || joins->is_call() || !joins->def->joins_operands || !is_last_axis(*joins, indices.dims.size()))
    return SampleGather::none;
  const auto parts = function.inputs(*joins);
  if (parts.size() != 2 || !counts_first(values, parts[0], 1) || !counts_first(values, parts[1], 1))
    return SampleGather::none;
  const bool number = values.whole_of(parts[0]).type.dims.back() == 1 && begins_with_sample(values, parts[0], 1);
  return number ? SampleGather::joined : SampleGather::none;
}

// The operand of an Add that is not the number of the sample times `per`; none if no operand is.
ValueId other_than_sample(const SampleValues& values, std::span<const ValueId> operands, int64_t per) {
  for (size_t i = 0; i < 2; ++i) {
    const auto steps = values.steps_of(operands[i]);
    if (values.content(operands[i]) == Content::index && steps && steps->size() == 1 && steps->front() == per &&
        values.small_of(operands[i]).known->at(0) == 0)
      return operands[1 - i];
  }
  return ValueId::none;
}

const ir::Op* maker_of(const ir::Function& function, ValueId id) {
  for (const ir::Op& op : function.ops) {
    if (op.result_count > 0 && function.output(op, 0) == id) return &op;
  }
  return nullptr;
}

// Returns true if a value is at least 0 and less than `count`: the place of a largest or smallest element.
bool is_place_below(const ir::Function& function, const SampleValues& values, ValueId id, int64_t count) {
  const ir::Op* op = maker_of(function, id);
  while (op != nullptr && !op->is_call() && op->def->copy == ir::Copy::converted)
    op = maker_of(function, function.inputs(*op)[0]);
  if (op == nullptr || op->is_call() || !op->def->gives_positions) return false;
  const ir::Dims& from = values.whole_of(function.inputs(*op)[0]).type.dims;
  const int64_t axis   = op->attributes->int_or("axis", 0);
  const int64_t place  = axis < 0 ? axis + static_cast<int64_t>(from.size()) : axis;
  return place >= 0 && place < static_cast<int64_t>(from.size()) && nth(from, place) <= count;
}

}  // namespace

ValueId row_of_sample(const ir::Function& function, const ir::Op& op, const ir::Op* joins, const SampleValues& values) {
  const auto inputs = function.inputs(op);
  const auto data   = values.dim_of(inputs[0]);
  if (joins == nullptr || joins->is_call() || joins->def->name != "Add" || !data || data->dim != 0 ||
      values.content(inputs[0]) != Content::data || op.attributes->int_or("axis", 0) != 0 ||
      values.whole_of(inputs[1]).type.dims.size() != 1)
    return ValueId::none;
  const ir::Type& small = values.small_of(inputs[0]).type;
  if (small.dims.empty()) return ValueId::none;
  const ValueId row = other_than_sample(values, function.inputs(*joins), small.dims[0] / values.small_batch);
  const bool fits   = row != ValueId::none && values.content(row) == Content::data && counts_first(values, row, 1) &&
                    values.whole_of(row).type.dims.size() == 1 && is_place_below(function, values, row, data->per);
  return fits ? row : ValueId::none;
}

namespace {

SampleGather rows_by_sample(const ir::Function& function, const ir::Op& op, const SampleValues& values, Content from) {
  const auto inputs = function.inputs(op);
  const auto data   = values.dim_of(inputs[0]);
  if (values.content(inputs[0]) != from || values.content(inputs[1]) != Content::index || !data || data->dim != 0 ||
      op.attributes->int_or("axis", 0) != 0 || !counts_first(values, inputs[1], 1))
    return SampleGather::none;
  const ir::Type& small = values.small_of(inputs[0]).type;
  const auto steps      = values.steps_of(inputs[1]);
  if (!steps || small.dims.empty()) return SampleGather::none;
  const int64_t per        = small.dims[0] / values.small_batch;
  const ir::Array& numbers = *values.small_of(inputs[1]).known;
  for (size_t i = 0; i < steps->size(); ++i) {
    const double first = numbers.at(static_cast<int64_t>(i));
    if ((*steps)[i] != per || first < 0 || first >= static_cast<double>(per)) return SampleGather::none;
  }
  return SampleGather::merged_rows;
}

}  // namespace

SampleGather find_sample_gather(const ir::Function& function, const ir::Op& op, const ir::Op* joins,
                                const SampleValues& values, Content from) {
  if (op.is_call() || op.result_count != 1 || function.inputs(op).size() != 2) return SampleGather::none;
  if (op.def->name == "GatherND") return tuples_by_sample(function, op, joins, values, from);
  if (op.def->name == "Gather" && row_of_sample(function, op, joins, values) != ValueId::none)
    return SampleGather::merged_row;
  if (op.def->name == "Gather") return rows_by_sample(function, op, values, from);
  return SampleGather::none;
}

}  // namespace foreflow::transform
