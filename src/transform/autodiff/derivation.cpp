#include "transform/autodiff/derivation.h"

#include <algorithm>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/ir/half.h"
#include "foreflow/ir/uses.h"
#include "transform/rewrite/op_types.h"

namespace foreflow::transform {

using ir::ValueId;

namespace {

std::vector<bool> marks(const std::vector<Upstream>& results) {
  std::vector<bool> marked;
  for (const Upstream upstream : results) marked.push_back(upstream != Upstream::none);
  return marked;
}

ir::Array one_of(ir::DType dtype) {
  const auto bits = [dtype](auto one) { return ir::Array::of<decltype(one)>(dtype, {1}, std::vector{one}); };
  switch (dtype) {
    case ir::DType::f64: return bits(1.0);
    case ir::DType::f16: return bits(ir::float_to_half(1));
    case ir::DType::bf16: return bits(ir::float_to_bfloat(1));
    case ir::DType::f8: return bits(ir::float_to_float8(1));
    default: return bits(1.0F);
  }
}

std::vector<ValueId> ids_from(ValueId first, size_t count) {
  std::vector<ValueId> ids;
  for (size_t i = 0; i < count; ++i) ids.push_back(static_cast<ValueId>(ir::index(first) + i));
  return ids;
}

}  // namespace

// The builder that the reverse rule of one op gets. Handles are values of the new function.
class Derivation::Site : public ir::GradBuilder {
 public:
  Site(Derivation& all, const ir::Op& op)
      : all_(all), op_(op), types_(all.function_, op, all.values_), call_(types_.call()) {}

  const ir::OpCall& call() const override { return call_; }
  int input(size_t index) override { return static_cast<int>(all_.map_(old_input(index))); }
  int output(size_t index) override { return static_cast<int>(all_.map_(all_.function_.output(op_, index))); }
  int output_gradient(size_t index) override {
    asked_.insert(index);
    return static_cast<int>(all_.upstream(all_.function_.output(op_, index)));
  }
  std::vector<int> emit(std::string_view op, ir::Attributes attributes, std::vector<int> inputs,
                        size_t outputs) override {
    std::vector<ValueId> operands;
    for (const int handle : inputs) operands.push_back(static_cast<ValueId>(handle));
    std::vector<int> handles;
    for (const ValueId id : all_.builder_.emit(op, operands, std::move(attributes), outputs))
      handles.push_back(static_cast<int>(id));
    return handles;
  }
  bool wanted(size_t index) override {
    const ValueId id = old_input(index);
    return id != ValueId::none && all_.active_[ir::index(id)];
  }
  bool is_weight(size_t index) override { return all_.is_weight(old_input(index)); }
  void set_input_gradient(size_t index, int handle) override {
    if (!wanted(index)) return;
    const bool scaled = op_.def->grad_from_one && !all_.is_loss(all_.function_.output(op_, 0));
    all_.accumulate(old_input(index),
                    scaled ? scale(static_cast<ValueId>(handle), types_.inputs[index]) : static_cast<ValueId>(handle));
  }
  // True when a gradient arrives that the rule has not asked for.
  bool loses(size_t output) const {
    const ValueId old = all_.function_.output(op_, output);
    if (asked_.contains(output)) return false;
    if (all_.is_loss(old)) return output > 0 || !op_.def->grad_from_one;
    return all_.gradients_[ir::index(old)] != ValueId::none;
  }

 private:
  ValueId old_input(size_t index) const { return all_.function_.inputs(op_)[index]; }

  // A loss inside a larger one. The losses of rows [n,..] lack the classes of their logits [n,c,..].
  ValueId scale(ValueId gradient, const ir::Type& operand) {
    auto upstream     = static_cast<ValueId>(output_gradient(0));
    const size_t rank = types_.outputs[0].dims.size();
    if (rank > 0 && rank + 1 == operand.dims.size()) {
      upstream = all_.builder_.op("Unsqueeze", {upstream}, {{"axes", std::vector<int64_t>{1}}});
    }
    return all_.builder_.op("Mul", {gradient, upstream});
  }

  Derivation& all_;
  const ir::Op& op_;
  const OpTypes types_;
  const ir::OpCall call_;
  std::set<size_t> asked_;
};

Derivation::Derivation(Derivatives& derivatives, size_t instance, const Demand& demand)
    : derivatives_(derivatives),
      number_(instance),
      demand_(demand),
      function_(derivatives.program().function(instance)),
      values_(derivatives.program().instance(instance).values),
      makers_(ir::makers_of(function_)),
      active_(active_values(derivatives.program(), instance, demand.parameters)),
      reached_(reached_values(derivatives.program(), instance, active_, marks(demand.results))),
      builder_(function_.name, derivatives.ops()),
      map_(function_.values.size()),
      gradients_(function_.values.size(), ValueId::none) {}

void Derivation::run() {
  copy_parameters(builder_, function_, map_);
  std::map<size_t, ValueId> given;
  for (size_t i = 0; i < demand_.results.size(); ++i) {
    if (demand_.results[i] != Upstream::given) continue;
    const std::string& name = function_.value(function_.results[i]).name;
    given[i]                = builder_.parameter(name.empty() ? "d" : "d_" + name, ir::ParameterRole::data, nullptr);
  }
  for (size_t o = 0; o < function_.ops.size(); ++o) copy(o);
  forward_ops_          = builder_.function().ops.size();
  first_backward_value_ = builder_.function().values.size();
  for (const auto& [i, gradient] : given) accumulate(function_.results[i], gradient);
  for (size_t o = function_.ops.size(); o-- > 0;) visit(o);
}

Demand Derivation::demand_of(size_t o) const {
  const ir::Op& op = function_.ops[o];
  Demand demand{marks_of_inputs(function_, op, active_), {}};
  for (uint32_t i = 0; i < op.result_count; ++i) {
    const bool reached = reached_[op.first_result + i], loss = is_loss(function_.output(op, i));
    demand.results.push_back(!reached ? Upstream::none : loss ? Upstream::one : Upstream::given);
  }
  return demand;
}

void Derivation::copy(size_t o) {
  const ir::Op& op = function_.ops[o];
  if (!op.is_call()) return copy_op(builder_, function_, op, map_);
  const Demand demand      = demand_of(o);
  const bool wanted        = marks(demand.results) != std::vector<bool>(op.result_count);
  const auto callee        = static_cast<size_t>(derivatives_.program().instance(number_).callee[o]);
  const BackwardPair* pair = wanted ? &derivatives_.pair(callee, demand) : nullptr;
  ir::Op call              = op;
  call.callee =
      static_cast<int32_t>(pair != nullptr ? pair->forward : derivatives_.copy_of(static_cast<size_t>(op.callee)));
  if (pair == nullptr) return copy_op(builder_, function_, call, map_);
  std::vector<ValueId> operands;
  for (const ValueId id : function_.inputs(op)) operands.push_back(map_(id));
  const size_t count = op.result_count + pair->saved;
  const auto results = ids_from(builder_.append(nullptr, call.callee, op.attributes, operands, count), count);
  for (uint32_t i = 0; i < op.result_count; ++i) {
    const ValueId old = function_.output(op, i);
    builder_.set_name(results[i], function_.value(old).name);
    builder_.annotate(results[i], function_.value(old).annotation);
    map_.set(old, results[i]);
  }
  saved_[o] = {results.begin() + op.result_count, results.end()};
}

void Derivation::visit(size_t o) {
  const ir::Op& op                = function_.ops[o];
  const std::vector<bool> reached = marks_of_results(op, reached_);
  if (std::find(reached.begin(), reached.end(), true) == reached.end()) return;
  if (op.is_call()) return visit_call(o);
  const auto place = [&] { return ir::describe(derivatives_.program().module, function_, op); };
  if (op.def->grad == nullptr) throw Error(place(), "has no gradient rule");
  Site site(*this, op);
  try {
    op.def->grad(site);
  } catch (const ir::OpError& error) {
    throw Error(place(), error.problem());
  }
  for (uint32_t i = 0; i < op.result_count; ++i) {
    if (site.loses(i)) throw Error(place(), "has no gradient rule for its result " + std::to_string(i));
  }
}

void Derivation::visit_call(size_t o) {
  const ir::Op& op         = function_.ops[o];
  const auto callee        = static_cast<size_t>(derivatives_.program().instance(number_).callee[o]);
  const BackwardPair& pair = derivatives_.pair(callee, demand_of(o));
  std::vector<ValueId> returned;
  const auto value_of = [&](const CallerValue& one) {
    switch (one.kind) {
      case CallerValue::Kind::argument: return map_(function_.inputs(op)[one.index]);
      case CallerValue::Kind::result: return map_(function_.output(op, one.index));
      case CallerValue::Kind::saved: return saved_.at(o)[one.index];
      case CallerValue::Kind::upstream: return upstream(function_.output(op, one.index));
      case CallerValue::Kind::returned: return returned[one.index];
    }
    return ValueId::none;
  };
  std::vector<ValueId> arguments;
  for (const CallerValue& one : pair.arguments) arguments.push_back(value_of(one));
  if (pair.backward) {
    const auto backward = static_cast<int32_t>(*pair.backward);
    returned = ids_from(builder_.append(nullptr, backward, op.attributes, arguments, pair.returned), pair.returned);
  }
  for (const auto& [parameter, one] : pair.gradients) accumulate(function_.inputs(op)[parameter], value_of(one));
}

void Derivation::accumulate(ValueId old, ValueId gradient) {
  ValueId& sum               = gradients_[ir::index(old)];
  const std::string_view add = values_[ir::index(old)].type.is_tuple() ? "Sum" : "Add";
  sum                        = sum == ValueId::none ? gradient : builder_.op(add, {sum, gradient});
}

bool Derivation::is_loss(ValueId old) const {
  for (size_t i = 0; i < demand_.results.size(); ++i) {
    if (demand_.results[i] == Upstream::one && function_.results[i] == old) return true;
  }
  return false;
}

// A parameter with that role, or a copy of one in another type.
bool Derivation::is_weight(ValueId old) const {
  while (old != ValueId::none && ir::index(old) >= function_.parameters.size()) {
    const int32_t maker = makers_[ir::index(old)];
    if (maker < 0) return false;
    const ir::Op& op = nth(function_.ops, maker);
    if (op.is_call() || (op.def->copy != ir::Copy::converted && op.def->copy != ir::Copy::same)) return false;
    old = function_.inputs(op)[0];
  }
  return old != ValueId::none && function_.parameters[ir::index(old)] == ir::ParameterRole::weight;
}

// The gradient of a value, written out where it is zero or one.
ValueId Derivation::upstream(ValueId old) {
  const ir::Type& type = values_[ir::index(old)].type;
  ValueId& gradient    = gradients_[ir::index(old)];
  if (gradient == ValueId::none) gradient = is_loss(old) ? ones(map_(old), type) : zeros(map_(old), type);
  return gradient;
}

ValueId Derivation::zeros(ValueId value, const ir::Type& type) {
  if (!type.is_tuple()) return type.dtype == ir::DType::boolean ? value : builder_.op("Sub", {value, value});
  std::vector<ValueId> elements = builder_.emit("UnpackTuple", {value}, {}, type.elements.size());
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = zeros(elements[i], type.elements[i]);
  return builder_.op("PackTuple", elements);
}

ValueId Derivation::ones(ValueId loss, const ir::Type& type) {
  if (!type.resolved() || type.is_tuple())
    throw Error("@" + function_.name, "the loss is " + to_string(type) + "; a tensor of known shape would be right");
  if (type.dims.empty()) return builder_.op("Constant", {}, {{"value", one_of(type.dtype).reshaped({})}});
  return builder_.op("OnesLike", {loss});
}

}  // namespace foreflow::transform
