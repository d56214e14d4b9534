#include "transform/tensor/stage_variants.h"

#include <algorithm>
#include <numeric>

namespace foreflow::transform {

using ir::ValueId;

StageVariants::StageVariants(const ir::Function& function, const StagesToShard& stages)
    : function_(function),
      count_(stages.variants.size()),
      places_(stages.places),
      variants_(function.ops.size()),
      native_(function.values.size()),
      crossings_(function.values.size()),
      first_reader_(function.values.size(), function.ops.size()),
      stage_(function.ops.size()),
      stage_of_value_(function.values.size()),
      stage_of_parameter_(function.parameters.size(), std::vector<int>(count_, -1)) {
  if (places_.empty()) places_.assign(function.ops.size(), {});
  for (size_t o = 0; o < function.ops.size(); ++o) {
    for (const ValueId id : function.inputs(function.ops[o])) {
      if (id != ValueId::none) first_reader_[ir::index(id)] = std::min(first_reader_[ir::index(id)], o);
    }
  }
  place_parameters(stages);
  place_ops(stages);
  if (count_ > 1) find_crossings();
}

void StageVariants::place_parameters(const StagesToShard& stages) {
  for (size_t o = 0; o < function_.ops.size(); ++o) {
    if (places_[o].runs != OpRuns::in_stage) continue;
    const size_t variant = stages.variant_of_stage(places_[o].stage);
    for (const ValueId id : function_.inputs(function_.ops[o])) {
      if (id == ValueId::none || ir::index(id) >= function_.parameters.size()) continue;
      const size_t i = ir::index(id);
      const bool one = function_.parameters[i] == ir::ParameterRole::data && !native_[i].empty();
      int& first     = stage_of_parameter_[i][variant];
      if (first >= 0 || one) continue;
      first = places_[o].stage;
      if (native_[i].empty()) stage_of_value_[i] = first;
      native_[i].push_back(variant);
    }
  }
  // A parameter that only an optimizer reads is where its weight is.
  for (const ir::Op& op : function_.ops) {
    if (op.def->role != ir::Role::optimizer) continue;
    const auto inputs = function_.inputs(op);
    for (const ValueId id : inputs) {
      if (id == ValueId::none || ir::index(id) >= function_.parameters.size() || !native_[ir::index(id)].empty())
        continue;
      const size_t weight                = ir::index(inputs[0]);
      native_[ir::index(id)]             = native_[weight];
      stage_of_value_[ir::index(id)]     = stage_of_value_[weight];
      stage_of_parameter_[ir::index(id)] = stage_of_parameter_[weight];
    }
  }
  for (size_t i = 0; i < function_.parameters.size(); ++i) {
    if (native_[i].empty()) native_[i].push_back(stages.variant_of_stage(0));
    std::sort(native_[i].begin(), native_[i].end());
  }
}

void StageVariants::place_ops(const StagesToShard& stages) {
  for (size_t o = 0; o < function_.ops.size(); ++o) {
    const ir::Op& op = function_.ops[o];
    stage_[o]        = places_[o].stage;
    switch (places_[o].runs) {
      case OpRuns::anywhere:
        variants_[o].resize(count_);
        std::iota(variants_[o].begin(), variants_[o].end(), size_t{0});
        break;
      case OpRuns::in_stage: variants_[o] = {stages.variant_of_stage(places_[o].stage)}; break;
      case OpRuns::update: place_update(o); break;
    }
    for (uint32_t i = 0; i < op.result_count; ++i) {
      stage_of_value_[op.first_result + i] = stage_[o];
      for (const size_t v : variants_[o]) {
        if (!is_of_many(op) || has_weight(o, i, v)) native_[op.first_result + i].push_back(v);
      }
    }
  }
}

// Places an op of the update where its weights are, or where the first of its operands is that is not everywhere.
void StageVariants::place_update(size_t o) {
  const ir::Op& op  = function_.ops[o];
  const auto inputs = function_.inputs(op);
  for (size_t i = 0; i < (is_of_many(op) ? op.result_count : inputs.size()); ++i) {
    if (inputs[i] == ValueId::none) continue;
    const std::vector<size_t>& here = native_[ir::index(inputs[i])];
    const bool decides              = op.def->role == ir::Role::optimizer || here.size() < count_ || count_ == 1;
    if (!decides) continue;
    if (variants_[o].empty()) stage_[o] = stage_of_value_[ir::index(inputs[i])];
    std::vector<size_t> all;
    std::set_union(variants_[o].begin(), variants_[o].end(), here.begin(), here.end(), std::back_inserter(all));
    variants_[o] = std::move(all);
    if (!is_of_many(op)) break;
  }
  if (variants_[o].empty() && !inputs.empty() && inputs[0] != ValueId::none) {
    variants_[o] = native_[ir::index(inputs[0])];
    stage_[o]    = stage_of_value_[ir::index(inputs[0])];
  }
  if (variants_[o].empty()) variants_[o] = {0};
}

bool StageVariants::is_of_many(const ir::Op& op) const {
  return op.def->role == ir::Role::optimizer && op.operand_count == 2 * op.result_count;
}

bool StageVariants::has_weight(size_t o, size_t row, size_t variant) const {
  const std::vector<size_t>& here = native_[ir::index(function_.inputs(function_.ops[o])[row])];
  return std::find(here.begin(), here.end(), variant) != here.end();
}

std::vector<size_t> StageVariants::operands(size_t o, size_t variant) const {
  const ir::Op& op = function_.ops[o];
  std::vector<size_t> all;
  for (size_t i = 0; i < op.operand_count; ++i) {
    if (!is_of_many(op) || has_weight(o, i % op.result_count, variant)) all.push_back(i);
  }
  return all;
}

std::vector<uint32_t> StageVariants::results(size_t o, size_t variant) const {
  const ir::Op& op = function_.ops[o];
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < op.result_count; ++i) {
    if (!is_of_many(op) || has_weight(o, i, variant)) all.push_back(i);
  }
  return all;
}

std::vector<bool> StageVariants::arriving(size_t variant) const {
  if (count_ == 1) return {};
  std::vector<bool> all;
  all.reserve(crossings_.size());
  for (const std::vector<Crossing>& crossings : crossings_) {
    all.push_back(std::any_of(crossings.begin(), crossings.end(),
                              [variant](const Crossing& crossing) { return crossing.variant == variant; }));
  }
  return all;
}

int StageVariants::stage_for(size_t o, size_t variant, ValueId operand) const {
  const ir::Op& op = function_.ops[o];
  if (op.def->role != ir::Role::optimizer) return stage_[o];
  const auto inputs = function_.inputs(op);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] != operand) continue;
    const size_t weight = ir::index(inputs[is_of_many(op) ? i % op.result_count : 0]);
    const bool known    = weight < stage_of_parameter_.size() && stage_of_parameter_[weight][variant] >= 0;
    return known ? stage_of_parameter_[weight][variant] : stage_[o];
  }
  return stage_[o];
}

void StageVariants::find_crossings() {
  for (size_t o = 0; o < function_.ops.size(); ++o) {
    const auto inputs = function_.inputs(function_.ops[o]);
    for (const size_t v : variants_[o]) {
      for (const size_t i : operands(o, v)) {
        if (inputs[i] == ValueId::none) continue;
        const size_t value              = ir::index(inputs[i]);
        const std::vector<size_t>& here = native_[value];
        std::vector<Crossing>& all      = crossings_[value];
        const bool known                = std::find(here.begin(), here.end(), v) != here.end() ||
                           std::any_of(all.begin(), all.end(), [v](const Crossing& c) { return c.variant == v; });
        if (!known) all.push_back({v, o, stage_for(o, v, inputs[i])});
      }
    }
  }
}

}  // namespace foreflow::transform
