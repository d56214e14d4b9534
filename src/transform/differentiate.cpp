#include <algorithm>

#include "copy.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/text.h"
#include "foreflow/transform/passes.h"
#include "op_types.h"
#include "pass_arguments.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// Reverse accumulation over one function: the ops are visited backwards and each adds to the gradients of its inputs.
class Differentiator {
 public:
  Differentiator(const ir::Module& module, const ir::OpTable& ops, Inputs inputs)
      : module_(module),
        function_(module.entry()),
        interpretation_(interpret::interpret_mixed(module, module.functions.size() - 1)),
        values_(interpretation_.entry().values),
        builder_(function_.name, ops),
        map_(function_.values.size()),
        gradients_(function_.values.size(), ValueId::none),
        active_(function_.values.size()),
        inputs_(inputs) {}

  ir::Module run() {
    check_loss();
    mark_active();
    copy_parameters(builder_, function_, map_);
    for (const ir::Op& op : function_.ops) copy_op(builder_, function_, op, map_);
    for (size_t o = function_.ops.size(); o-- > 0;) visit(function_.ops[o]);
    std::vector<ValueId> results;
    for (const ValueId id : function_.results) results.push_back(map_(id));
    if (inputs_ == Inputs::floating) append_gradients(ir::ParameterRole::data, results);
    append_gradients(ir::ParameterRole::weight, results);
    ir::Module result;
    result.source = module_.source;
    result.functions.push_back(builder_.finish(std::move(results)));
    ir::verify(result);
    return result;
  }

 private:
  class Site;

  void check_loss() const {
    if (function_.results.empty()) throw Error(module_.source + ": @" + function_.name, "returns nothing; result 0 must be the loss");
    for (const ir::Op& op : function_.ops) {
      if (op.is_call()) throw Error(ir::describe(module_, function_, op), "differentiate works on a program without calls");
    }
  }

  bool is_floating(size_t value) const { return values_[value].type.is_tensor() && ir::is_float(values_[value].type.dtype); }

  // Data that only the loss itself reads, beside its prediction.
  bool is_target(size_t parameter) const {
    for (const ir::Op& op : function_.ops) {
      const auto inputs   = function_.inputs(op);
      const bool is_loss  = op.result_count > 0 && function_.output(op, 0) == function_.results[0];
      const auto examined = is_loss ? inputs.first(std::min<size_t>(inputs.size(), 1)) : inputs;
      if (std::find(examined.begin(), examined.end(), static_cast<ValueId>(parameter)) != examined.end()) return false;
    }
    return true;
  }

  void mark_active() {
    for (size_t i = 0; i < function_.parameters.size(); ++i) {
      const bool is_weight = function_.parameters[i] == ir::ParameterRole::weight;
      active_[i]           = is_floating(i) && (is_weight || (inputs_ == Inputs::floating && !is_target(i)));
    }
    for (const ir::Op& op : function_.ops) {
      bool active = false;
      for (const ValueId id : function_.inputs(op)) active = active || (id != ValueId::none && active_[ir::index(id)]);
      for (uint32_t i = 0; i < op.result_count; ++i) active_[op.first_result + i] = active && is_floating(op.first_result + i);
    }
  }

  void visit(const ir::Op& op);

  void append_gradients(ir::ParameterRole role, std::vector<ValueId>& results) {
    for (size_t i = 0; i < function_.parameters.size(); ++i) {
      if (function_.parameters[i] != role || !active_[i]) continue;
      ValueId gradient = gradients_[i];
      const auto own   = map_(static_cast<ValueId>(i));
      if (gradient == ValueId::none && role == ir::ParameterRole::data) continue;
      if (gradient == ValueId::none) gradient = builder_.op("Sub", {own, own});  // the loss does not depend on it
      results.push_back(gradient);
    }
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const interpret::MixedInterpretation interpretation_;
  const interpret::Values<interpret::Mixed>& values_;
  ir::FunctionBuilder builder_;
  ValueMap map_;
  std::vector<ValueId> gradients_;  // per old value, in the new function
  std::vector<bool> active_;        // depends on something that wants a gradient
  Inputs inputs_;
};

// What one op's reverse rule sees. Handles are values of the new function.
class Differentiator::Site : public ir::GradBuilder {
 public:
  Site(Differentiator& all, const ir::Op& op) : all_(all), op_(op), types_(all.function_, op, all.values_), call_(types_.call()) {}

  const ir::OpCall& call() const override { return call_; }
  int input(size_t index) override { return static_cast<int>(all_.map_(all_.function_.inputs(op_)[index])); }
  int output(size_t index) override { return static_cast<int>(all_.map_(all_.function_.output(op_, index))); }
  int output_gradient(size_t index) override {
    const ValueId gradient = all_.gradients_[op_.first_result + index];
    if (gradient != ValueId::none) return static_cast<int>(gradient);
    const int own = output(index);
    return emit("Sub", {}, {own, own}, 1)[0];  // a result that the loss does not depend on
  }
  std::vector<int> emit(std::string_view op, ir::Attributes attributes, std::vector<int> inputs, size_t outputs) override {
    std::vector<ValueId> operands;
    for (const int handle : inputs) operands.push_back(static_cast<ValueId>(handle));
    std::vector<int> handles;
    for (const ValueId id : all_.builder_.emit(op, operands, std::move(attributes), outputs)) handles.push_back(static_cast<int>(id));
    return handles;
  }
  bool wanted(size_t index) override {
    const ValueId id = all_.function_.inputs(op_)[index];
    return id != ValueId::none && all_.active_[ir::index(id)];
  }
  void set_input_gradient(size_t index, int handle) override {
    if (!wanted(index)) return;
    ValueId& sum = all_.gradients_[ir::index(all_.function_.inputs(op_)[index])];
    const auto added = static_cast<ValueId>(handle);
    sum              = sum == ValueId::none ? added : all_.builder_.op("Add", {sum, added});
  }

 private:
  Differentiator& all_;
  const ir::Op& op_;
  const OpTypes types_;
  const ir::OpCall call_;
};

void Differentiator::visit(const ir::Op& op) {
  bool reached = false, active = false;
  for (uint32_t i = 0; i < op.result_count; ++i) {
    const size_t value = op.first_result + i;
    reached            = reached || gradients_[value] != ValueId::none || static_cast<ValueId>(value) == function_.results[0];
    active             = active || active_[value];
  }
  if (!reached || !active) return;
  if (op.def->grad == nullptr) throw Error(ir::describe(module_, function_, op), "has no gradient rule");
  Site site(*this, op);
  op.def->grad(site);
}

}  // namespace

ir::Module differentiate(const ir::Module& module, const ir::OpTable& ops, Inputs inputs) { return Differentiator(module, ops, inputs).run(); }

namespace definitions {
PassDef differentiate() {
  return {"differentiate", "append the gradients of result 0 with respect to the weights (inputs=floating: and to the data)", {"inputs"},
          [](const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments) {
            const bool data = word_argument(arguments, "inputs", "none") == "floating";
            return transform::differentiate(module, ops, data ? Inputs::floating : Inputs::none);
          }};
}
}  // namespace definitions

}  // namespace foreflow::transform
