#include <algorithm>

#include "transform/autodiff/derivation.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// Cuts a joint function in two: what the backward ops need of the forward ones is handed over.
class GradientCut {
 public:
  GradientCut(const ir::Function& joint, const ir::Function& original, const Derivation& derivation,
              const Demand& demand)
      : joint_(joint), original_(original), derivation_(derivation), demand_(demand) {
    for (const ir::Op& op : joint.ops) {
      const bool constant = !op.is_call() && op.def->role == ir::Role::constant && op.operand_count == 0;
      for (uint32_t i = 0; constant && i < op.result_count; ++i) constants_[op.first_result + i] = &op;
    }
    find_gradients();
    find_handed_over();
  }

  // The forward function. The saved values follow its results.
  ir::Function forward(const ir::OpTable& ops) const {
    ir::FunctionBuilder builder(original_.name + "_forward", ops);
    ValueMap map(joint_.values.size());
    declare(builder, map, 0, original_.parameters.size());
    for (size_t o = 0; o < derivation_.forward_ops(); ++o) copy_op(builder, joint_, joint_.ops[o], map);
    std::vector<ValueId> results;
    for (const ValueId id : original_.results) results.push_back(map(derivation_.value(id)));
    for (const ValueId id : saved_) results.push_back(map(id));
    return builder.finish(std::move(results));
  }

  ir::Function backward(const ir::OpTable& ops) const {
    ir::FunctionBuilder builder(original_.name + "_backward", ops);
    ValueMap map(joint_.values.size());
    for (const ValueId id : handed_over_) declare(builder, map, ir::index(id), ir::index(id) + 1);
    for (const auto& [id, op] : constants_) {
      if (used_.contains(static_cast<ValueId>(id))) copy_op(builder, joint_, *op, map);
    }
    for (size_t o = derivation_.forward_ops(); o < joint_.ops.size(); ++o) copy_op(builder, joint_, joint_.ops[o], map);
    std::vector<ValueId> results;
    for (const ValueId id : returned_) results.push_back(map(id));
    return builder.finish(std::move(results));
  }

  BackwardPair pair() const {
    BackwardPair pair;
    pair.saved     = saved_.size();
    pair.returned  = returned_.size();
    pair.gradients = gradients_;
    for (const ValueId id : handed_over_) pair.arguments.push_back(caller_value(id));
    return pair;
  }

 private:
  bool is_upstream(ValueId id) const {
    return ir::index(id) >= original_.parameters.size() && ir::index(id) < joint_.parameters.size();
  }

  // Gradients of results are the parameters behind those of the original, in the order of the results.
  size_t result_of(ValueId upstream) const {
    size_t left = ir::index(upstream) - original_.parameters.size(), result = 0;
    while (demand_.results[result] != Upstream::given || left-- > 0) ++result;
    return result;
  }

  void find_gradients() {
    for (size_t i = 0; i < original_.parameters.size(); ++i) {
      const ValueId gradient = derivation_.gradient(static_cast<ValueId>(i));
      if (gradient == ValueId::none || !demand_.parameters[i]) continue;
      if (is_upstream(gradient)) {
        gradients_[i] = {CallerValue::Kind::upstream, result_of(gradient)};
        continue;
      }
      auto at = std::find(returned_.begin(), returned_.end(), gradient);
      if (at == returned_.end()) at = returned_.insert(at, gradient);
      gradients_[i] = {CallerValue::Kind::returned, static_cast<size_t>(at - returned_.begin())};
    }
  }

  void find_handed_over() {
    for (size_t o = derivation_.forward_ops(); o < joint_.ops.size(); ++o) {
      for (const ValueId id : joint_.inputs(joint_.ops[o])) use(id);
    }
    for (const ValueId id : returned_) use(id);
    std::vector<ValueId> upstream;
    for (const ValueId id : used_) {
      if (constants_.contains(ir::index(id))) continue;
      (is_upstream(id) ? upstream : handed_over_).push_back(id);
      if (ir::index(id) >= joint_.parameters.size() && !result_at(id)) saved_.push_back(id);
    }
    handed_over_.insert(handed_over_.end(), upstream.begin(), upstream.end());
  }

  void use(ValueId id) {
    if (id != ValueId::none && ir::index(id) < derivation_.first_backward_value()) used_.insert(id);
  }

  std::optional<size_t> result_at(ValueId id) const {
    for (size_t i = 0; i < original_.results.size(); ++i) {
      if (derivation_.value(original_.results[i]) == id) return i;
    }
    return std::nullopt;
  }

  CallerValue caller_value(ValueId id) const {
    if (is_upstream(id)) return {CallerValue::Kind::upstream, result_of(id)};
    if (ir::index(id) < original_.parameters.size()) return {CallerValue::Kind::argument, ir::index(id)};
    if (const auto result = result_at(id)) return {CallerValue::Kind::result, *result};
    return {CallerValue::Kind::saved,
            static_cast<size_t>(std::find(saved_.begin(), saved_.end(), id) - saved_.begin())};
  }

  void declare(ir::FunctionBuilder& builder, ValueMap& map, size_t first, size_t last) const {
    for (size_t i = first; i < last; ++i) {
      const ir::Value& value = joint_.values[i];
      const auto role        = i < joint_.parameters.size() ? joint_.parameters[i] : ir::ParameterRole::data;
      map.set(static_cast<ValueId>(i), builder.parameter(value.name, role, value.annotation));
    }
  }

  const ir::Function &joint_, &original_;
  const Derivation& derivation_;
  const Demand& demand_;
  std::map<size_t, const ir::Op*> constants_;  // repeated where they are used rather than handed over
  std::map<size_t, CallerValue> gradients_;
  std::vector<ValueId> returned_, handed_over_, saved_;
  std::set<ValueId> used_;
};

}  // namespace

const BackwardPair& Derivatives::pair(size_t instance, const Demand& demand) {
  const auto known = pairs_.find({instance, demand});
  if (known != pairs_.end()) return known->second;
  Derivation derivation(*this, instance, demand);
  derivation.run();
  const ir::Function joint = derivation.builder().finish({});
  const GradientCut cut(joint, program_.function(instance), derivation, demand);
  BackwardPair pair = cut.pair();
  pair.forward      = add(cut.forward(ops_));
  if (pair.returned > 0) pair.backward = add(cut.backward(ops_));
  return pairs_.emplace(std::pair(instance, demand), std::move(pair)).first->second;
}

size_t Derivatives::copy_of(size_t function) {
  const auto known = copies_.find(function);
  if (known != copies_.end()) return known->second;
  ir::Function copy = program_.module.functions[function];
  for (ir::Op& op : copy.ops) {
    if (op.is_call()) op.callee = static_cast<int32_t>(copy_of(static_cast<size_t>(op.callee)));
  }
  return copies_[function] = add(std::move(copy));
}

size_t Derivatives::add(ir::Function function) {
  const std::string base = function.name;
  for (int count = 2; !taken_.insert(function.name).second; ++count) function.name = base + "_" + std::to_string(count);
  functions_.push_back(std::move(function));
  return functions_.size() - 1;
}

}  // namespace foreflow::transform
