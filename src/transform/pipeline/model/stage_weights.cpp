#include "transform/pipeline/model/stage_weights.h"

#include "foreflow/base/nth.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// Per parameter: the anchor of the forward op that reads it first; -1: none does.
std::vector<int32_t> first_readers(const ModelledProgram& program) {
  std::vector<int32_t> first(program.function.parameters.size(), -1);
  for (size_t o = 0; o < program.function.ops.size(); ++o) {
    if (program.phases[o] != StagePhase::forward) continue;
    for (const ValueId id : program.function.inputs(program.function.ops[o])) {
      if (id == ValueId::none || ir::index(id) >= first.size() || first[ir::index(id)] >= 0) continue;
      first[ir::index(id)] = program.anchors[o];
    }
  }
  return first;
}

class WeightFinder {
 public:
  WeightFinder(const ModelledProgram& program, const std::vector<Seconds>& seconds)
      : program_(program), function_(program.function), seconds_(seconds), first_(first_readers(program)) {
    found_.is_trained.resize(function_.parameters.size());
    found_.gradients.resize(function_.parameters.size(), ValueId::none);
  }

  StageWeights run(const ir::OpDef& add, const StageModel::Price& price) && {
    for (size_t i = 0; i < first_.size(); ++i) {
      if (is_weight(i) && first_[i] >= 0) found_.needs.push_back({.anchor = first_[i], .weight = program_.bytes_of(i)});
    }
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (function_.ops[o].def->role == ir::Role::optimizer) add_update(o);
    }
    for (const auto& [gradient, need] : added_up_) found_.needs[need].accumulate = accumulation(gradient, add, price);
    for (const auto& [gradient, terms] : found_.terms) {
      for (const size_t term : terms) found_.accumulates[term] = accumulation(term, add, price);
    }
    return std::move(found_);
  }

 private:
  bool is_weight(size_t parameter) const { return function_.parameters[parameter] == ir::ParameterRole::weight; }
  bool is_sum(ValueId id) const { return program_.values[ir::index(id)].layout.is_partial(); }

  // The operands are the weight, its gradient and its states; or all weights, then all gradients.
  void add_update(size_t o) {
    const auto inputs = function_.inputs(function_.ops[o]);
    const bool many   = inputs.size() == size_t{2} * function_.ops[o].result_count;
    const size_t rows = many ? function_.ops[o].result_count : 1;
    for (size_t row = 0; row < rows; ++row) {
      if (inputs[row] == ValueId::none) continue;
      const size_t owner = ir::index(inputs[row]);
      if (owner >= first_.size() || first_[owner] < 0) continue;
      // The time of a part of one op for all weights depends on their sizes, and on which of them the stage has.
      StageWeights::Need need{.anchor = first_[owner], .update = many ? Seconds(0) : seconds_[o]};
      if (inputs[row + rows] != ValueId::none) add_gradient(owner, inputs[row + rows], need);
      if (!many) need.states = bytes_of_states(inputs.subspan(2));
      found_.needs.push_back(need);
    }
  }

  // The gradient of parameter `owner`, to what its update needs.
  void add_gradient(size_t owner, ValueId gradient, StageWeights::Need& need) {
    if (is_sum(gradient)) found_.gradients[owner] = gradient;
    add_terms(function_, program_.phases, program_.values, program_.makers, ir::index(gradient), found_.terms);
    need.gradient = gradient_bytes(gradient);
    if (need.gradient == Bytes(0) || !is_sum(gradient)) return;
    added_up_.emplace(ir::index(gradient), found_.needs.size());
    found_.is_trained[owner] = true;
  }

  // Returns the bytes of a gradient that a device keeps while the microbatches add to it; 0, for unknown, if it is
  // summed over devices after all microbatches.
  Bytes gradient_bytes(ValueId gradient) const {
    const int32_t maker = program_.makers[ir::index(gradient)];
    const bool summed   = maker >= 0 && nth(program_.phases, maker) == StagePhase::update;
    return summed ? Bytes(0) : program_.bytes_of(ir::index(gradient));
  }

  Bytes bytes_of_states(std::span<const ValueId> operands) const {
    Bytes sum;
    for (const ValueId id : operands) {
      if (id != ValueId::none && ir::index(id) < first_.size() && is_weight(ir::index(id)))
        sum += program_.bytes_of(ir::index(id));
    }
    return sum;
  }

  // The time to add two terms of a value.
  Seconds accumulation(size_t value, const ir::OpDef& add, const StageModel::Price& price) const {
    const std::vector<ir::Type> terms(2, program_.values[value].value.type);
    const std::vector<const ir::Array*> known(2, nullptr);
    const ir::Attributes none;
    return program_.share_of(value) * price({add, none, terms, known, 1}, std::span(terms).first(1));
  }

  const ModelledProgram& program_;
  const ir::Function& function_;
  const std::vector<Seconds>& seconds_;
  const std::vector<int32_t> first_;   // per parameter, of first_readers
  std::map<size_t, size_t> added_up_;  // gradients that microbatches add to, and the numbers of their needs
  StageWeights found_;
};

}  // namespace

StageWeights weights_of(const ModelledProgram& program, const std::vector<Seconds>& seconds, const ir::OpTable& ops,
                        const StageModel::Price& price) {
  return WeightFinder(program, seconds).run(ops.get("Add", "ops"), price);
}

}  // namespace foreflow::transform
