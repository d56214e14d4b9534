#include "transform/samples/sample_gathers.h"

#include <algorithm>

namespace foreflow::transform {
namespace {

using ir::ValueId;

bool counts_first(const SampleValues& values, ValueId id, int64_t per) {
  const auto dim = values.dim_of(id);
  return dim && dim->dim == 0 && dim->per == per;
}

// Whether element 0 of every tuple of `depth` numbers is the number of the sample, and the others are the same in all
// samples.
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
                              const SampleValues& values) {
  const auto inputs       = function.inputs(op);
  const ir::Type& indices = values.whole_of(inputs[1]).type;
  const bool from_samples = values.content(inputs[0]) == Content::data && counts_first(values, inputs[0], 1);
  if (!from_samples || op.attributes->int_or("batch_dims", 0) != 0 || !counts_first(values, inputs[1], 1))
    return SampleGather::none;
  if (begins_with_sample(values, inputs[1], static_cast<size_t>(indices.dims.back()))) return SampleGather::tuples;
  if (joins == nullptr || joins->is_call() || joins->def->name != "Concat" ||
      !is_last_axis(*joins, indices.dims.size()))
    return SampleGather::none;
  const auto parts = function.inputs(*joins);
  if (parts.size() != 2 || !counts_first(values, parts[0], 1) || !counts_first(values, parts[1], 1))
    return SampleGather::none;
  const bool number = values.whole_of(parts[0]).type.dims.back() == 1 && begins_with_sample(values, parts[0], 1);
  return number ? SampleGather::joined : SampleGather::none;
}

SampleGather rows_by_sample(const ir::Function& function, const ir::Op& op, const SampleValues& values) {
  const auto inputs = function.inputs(op);
  const auto data   = values.dim_of(inputs[0]);
  if (values.content(inputs[0]) != Content::data || values.content(inputs[1]) != Content::index || !data ||
      data->dim != 0 || op.attributes->int_or("axis", 0) != 0 || !counts_first(values, inputs[1], 1))
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
                                const SampleValues& values) {
  if (op.is_call() || op.result_count != 1 || function.inputs(op).size() != 2) return SampleGather::none;
  if (op.def->name == "GatherND") return tuples_by_sample(function, op, joins, values);
  if (op.def->name == "Gather") return rows_by_sample(function, op, values);
  return SampleGather::none;
}

}  // namespace foreflow::transform
