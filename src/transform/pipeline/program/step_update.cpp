#include "transform/pipeline/program/step_update.h"

#include <algorithm>
#include <iterator>

#include "foreflow/base/nth.h"
#include "foreflow/ir/uses.h"

namespace foreflow::transform {

using ir::ValueId;

StepUpdate::StepUpdate(ir::FunctionBuilder& builder, const ir::Function& function, const std::vector<StagedOp>& staged,
                       const std::vector<bool>& summed, const WideSums& wide, PlacedValues& values,
                       const StageDevices& devices)
    : builder_(builder),
      function_(function),
      staged_(staged),
      summed_(summed),
      wide_(wide),
      values_(values),
      devices_(devices),
      makers_(ir::makers_of(function)) {}

void StepUpdate::run() {
  for (size_t o = 0; o < staged_.size(); ++o) {
    if (staged_[o].phase != StagePhase::update) continue;
    const ir::Op& op = function_.ops[o];
    if (op.def->role == ir::Role::optimizer) {
      optimize(op);
    } else if (op.def->reshards) {
      reshard(op, staged_[o].stage);
    } else if (wide_.done[o]) {
      for (const int device : holders(function_.inputs(op)[0]))
        values_.set(function_.output(op, 0), kEveryMicrobatch, device, total(function_.inputs(op)[0], device));
    } else if (!is_sum(function_.output(op, 0))) {
      update(op);
    }
  }
}

// A sum over microbatches, or of such sums: what the devices have of it is added up when it is first needed.
bool StepUpdate::is_sum(ValueId id) const {
  if (summed_[ir::index(id)]) return true;
  const int32_t maker = makers_[ir::index(id)];
  if (maker < 0 || nth(staged_, maker).phase != StagePhase::update) return false;
  const ir::Op& op  = nth(function_.ops, maker);
  const auto inputs = function_.inputs(op);
  return op.def->sums_operands &&
         std::all_of(inputs.begin(), inputs.end(), [this](ValueId input) { return is_sum(input); });
}

// The sums over microbatches that `id` consists of.
void StepUpdate::collect(ValueId id, std::vector<ValueId>& parts) const {
  if (summed_[ir::index(id)]) return parts.push_back(id);
  for (const ValueId input : function_.inputs(nth(function_.ops, makers_[ir::index(id)]))) collect(input, parts);
}

void StepUpdate::sum_up(ValueId id) {
  std::vector<ValueId> parts;
  collect(id, parts);
  std::map<int, ValueId> here;
  for (const ValueId part : parts) {
    for (const int device : values_.devices_of(part)) {
      const ValueId made     = values_.find(part, kEveryMicrobatch, device);
      const auto [at, alone] = here.try_emplace(device, made);
      if (!alone) at->second = builder_.op("Add", {at->second, made});
    }
  }
  auto& totals = totals_[id];
  totals       = here;
  if (here.size() < 2) return;
  std::vector<ValueId> operands;
  for (const auto& [device, made] : here) operands.push_back(made);
  const auto sums = builder_.emit("MPIAllreduce", operands, {}, operands.size());
  size_t i        = 0;
  for (auto& [device, made] : totals) made = sums[i++];
}

ValueId StepUpdate::constant(ValueId id) {
  const auto known = constants_.find(id);
  if (known != constants_.end()) return known->second;
  const ir::Op& op = nth(function_.ops, makers_[ir::index(id)]);
  std::vector<ValueId> operands;
  for (const ValueId input : function_.inputs(op)) operands.push_back(input == ValueId::none ? input : constant(input));
  const auto first = static_cast<int32_t>(builder_.append(op.def, -1, op.attributes, operands, op.result_count));
  for (uint32_t i = 0; i < op.result_count; ++i)
    constants_[function_.output(op, i)] = static_cast<ValueId>(first + static_cast<int32_t>(i));
  return constants_.at(id);
}

ValueId StepUpdate::total(ValueId id, int device) {
  if (id == ValueId::none) return id;
  const int32_t maker = makers_[ir::index(id)];
  if (maker >= 0 && nth(staged_, maker).phase == StagePhase::anywhere) return constant(id);
  if (is_sum(id)) {
    if (!totals_.contains(id)) sum_up(id);
    auto& totals = totals_.at(id);
    if (device < 0) return totals.begin()->second;
    const auto [at, missing] = totals.try_emplace(device, ValueId::none);
    if (missing) {
      const ValueId source = (totals.begin() == at ? std::next(at) : totals.begin())->second;
      at->second           = builder_.op("Send", {source}, {{"to", values_.device_of(id, device)}});
    }
    return at->second;
  }
  const std::vector<int> devices = values_.devices_of(id);
  FOREFLOW_CHECK(!devices.empty(), "what the update reads was made before");
  const int to        = device < 0 ? devices.front() : device;
  const ValueId known = values_.find(id, kEveryMicrobatch, to);
  return known != ValueId::none ? known : values_.send(id, kEveryMicrobatch, devices.front(), to);
}

void StepUpdate::append(const ir::Op& op, std::span<const ValueId> inputs, const std::vector<ValueId>& results,
                        int device) {
  std::vector<ValueId> operands;
  for (const ValueId id : inputs) operands.push_back(total(id, device));
  const auto first = static_cast<int32_t>(builder_.append(op.def, -1, op.attributes, operands, results.size()));
  for (size_t i = 0; i < results.size(); ++i)
    values_.set(results[i], kEveryMicrobatch, device, static_cast<ValueId>(first + static_cast<int32_t>(i)));
}

// The devices that have a value which all microbatches share, or the sum over them, ascending.
std::vector<int> StepUpdate::holders(ValueId id) {
  if (!is_sum(id)) {
    std::vector<int> devices = values_.devices_of(id);
    std::sort(devices.begin(), devices.end());
    return devices;
  }
  total(id, -1);
  std::vector<int> devices;
  for (const auto& [device, made] : totals_.at(id)) devices.push_back(device);
  return devices;
}

// On every device that has all of its operands, so that the gradient of a weight on several devices is not sent from
// one to the other. If there is none: once, on the first of those that have one of them.
void StepUpdate::update(const ir::Op& op) {
  std::vector<int> all, any;
  const auto inputs = function_.inputs(op);
  bool first        = true;
  for (const ValueId id : inputs) {
    if (id == ValueId::none) continue;
    const std::vector<int> here = holders(id);
    if (here.empty()) continue;
    any.insert(any.end(), here.begin(), here.end());
    std::vector<int> both;
    std::set_intersection(all.begin(), all.end(), here.begin(), here.end(), std::back_inserter(both));
    all   = first ? here : both;
    first = false;
  }
  if (all.empty()) all.push_back(any.empty() ? 0 : *std::min_element(any.begin(), any.end()));
  std::vector<ValueId> results;
  for (uint32_t i = 0; i < op.result_count; ++i) results.push_back(function_.output(op, i));
  for (const int device : all) append(op, inputs, results, device);
}

// A sum that a stage needs which is sharded in another way.
void StepUpdate::reshard(const ir::Op& op, int stage) {
  std::vector<ValueId> operands;
  for (const ValueId id : function_.inputs(op)) operands.push_back(total(id, -1));
  values_.reshard(function_, op, operands, kEveryMicrobatch, devices_.of(0, stage));
}

// On every device that has a copy of the weight. An optimizer of many weights (w1..wn, dw1..dwn) becomes one op a
// device.
void StepUpdate::optimize(const ir::Op& op) {
  const auto inputs = function_.inputs(op);
  const bool many   = inputs.size() == size_t{2} * op.result_count;
  std::map<ir::Device, std::pair<int, std::vector<size_t>>> rows;
  for (size_t i = 0; i < (many ? op.result_count : 1); ++i) {
    for (const int device : values_.devices_of(inputs[i])) {
      auto& row = rows[values_.device_of(inputs[i], device)];
      row.first = device;
      row.second.push_back(i);
    }
  }
  for (const auto& [place, row] : rows) {
    const auto& [device, members] = row;
    std::vector<ValueId> operands, results;
    if (many) {
      for (const size_t i : members) operands.push_back(inputs[i]);
      for (const size_t i : members) operands.push_back(inputs[i + op.result_count]);
      for (const size_t i : members) results.push_back(function_.output(op, i));
    } else {
      operands.assign(inputs.begin(), inputs.end());
      for (uint32_t i = 0; i < op.result_count; ++i) results.push_back(function_.output(op, i));
    }
    append(op, operands, results, device);
  }
}

}  // namespace foreflow::transform
