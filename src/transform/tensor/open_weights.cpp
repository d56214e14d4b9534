#include "transform/tensor/open_weights.h"

#include "foreflow/base/nth.h"
#include "transform/rewrite/factor_text.h"

namespace foreflow::transform {

OpenWeights::OpenWeights(const FunctionToShard& of)
    : of_(of), open_(of.function.values.size()), stored_(of.function.values.size()) {}

void OpenWeights::add(size_t parameter, bool open) {
  open_[parameter]   = open;
  stored_[parameter] = {static_cast<int32_t>(parameter), false};
}

bool OpenWeights::is_open(ir::ValueId id) const {
  const int32_t weight = stored(id).weight;
  return open_[ir::index(id)] && nth(open_, weight);
}

bool OpenWeights::follow_copy(const Arrival& arrival) {
  static const std::vector<int64_t> kTurned = {1, 0};
  if (!keeps_weight(arrival)) return false;
  const Stored from = stored(arrival.inputs[0]);
  const bool turns  = arrival.call.def.copy == ir::Copy::permuted &&
                     arrival.call.attributes.find_ints("perm").value_or(kTurned) == kTurned;
  stored_[arrival.op.first_result] = {from.weight, from.transposed != turns};
  open_[arrival.op.first_result]   = true;
  return true;
}

bool OpenWeights::use(ir::ValueId id) {
  const bool open      = is_open(id);
  open_[ir::index(id)] = false;
  return open;
}

bool OpenWeights::keeps_weight(const Arrival& arrival) const {
  const ir::Copy copy = arrival.call.def.copy;
  if (arrival.inputs.empty() || arrival.inputs[0] == ir::ValueId::none || !is_open(arrival.inputs[0])) return false;
  if (dequantises(arrival)) return true;
  return copy == ir::Copy::same || copy == ir::Copy::converted ||
         (copy == ir::Copy::permuted && arrival.call.inputs[0].dims.size() == 2);
}

// Returns true if the op makes real numbers of a weight in fewer bits, element by element, with scales that are
// weights.
bool OpenWeights::dequantises(const Arrival& arrival) const {
  const ir::OpCall& call = arrival.call;
  if (call.def.role != ir::Role::compute || call.outputs != 1 || ir::is_float(call.inputs[0].dtype)) return false;
  for (size_t i = 1; i < arrival.inputs.size(); ++i) {
    const ir::ValueId id = arrival.inputs[i];
    if (id != ir::ValueId::none && !is_open(id) && call.known[i] == nullptr) return false;
  }
  const ir::Type result   = call.def.infer(call)[0];
  const FactorText text   = parse_factors(call.def.factors(call).text);
  const bool each_element = text.inputs.size() > 1 && text.outputs.size() == 1 && text.inputs[0] == text.outputs[0];
  return each_element && ir::is_float(result.dtype) && result.dims == call.inputs[0].dims;
}

}  // namespace foreflow::transform
