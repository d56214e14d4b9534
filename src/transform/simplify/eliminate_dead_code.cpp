#include "foreflow/base/nth.h"
#include "foreflow/ir/verify.h"
#include "foreflow/transform/passes.h"
#include "foreflow/transform/simplify.h"
#include "transform/pass_arguments.h"
#include "transform/rewrite/copy.h"
#include "transform/rewrite/effects.h"

namespace foreflow::transform {
namespace {

// Marks what is needed, from the entry's results and the ops with effects backwards, through calls.
class LiveOps {
 public:
  explicit LiveOps(const ir::Module& module)
      : module_(module), effects_(functions_with_effects(module)), functions_(module.functions.size()) {
    for (size_t f = 0; f < module.functions.size(); ++f) {
      const ir::Function& function = module.functions[f];
      functions_[f].value.resize(function.values.size());
      functions_[f].op.resize(function.ops.size());
      functions_[f].result.assign(function.results.size(), f + 1 == module.functions.size());
      functions_[f].maker.assign(function.values.size(), -1);
      for (size_t o = 0; o < function.ops.size(); ++o) {
        for (uint32_t i = 0; i < function.ops[o].result_count; ++i)
          functions_[f].maker[function.ops[o].first_result + i] = static_cast<int32_t>(o);
      }
    }
    const size_t entry = module.functions.size() - 1;
    reach(entry);
    for (const ir::ValueId id : module.entry().results) need(entry, id);
    for (size_t i = 0; i < module.entry().parameters.size(); ++i) need(entry, static_cast<ir::ValueId>(i));
    while (!work_.empty()) {
      const auto [f, id] = work_.back();
      work_.pop_back();
      follow(f, id);
    }
  }

  bool reached(size_t f) const { return functions_[f].reached; }
  bool needs_op(size_t f, size_t o) const { return functions_[f].op[o]; }
  bool needs(size_t f, ir::ValueId id) const { return functions_[f].value[ir::index(id)]; }
  // A caller needs result number `i`, or `f` is the entry.
  bool needs_result(size_t f, size_t i) const { return functions_[f].result[i]; }

 private:
  struct Needed {
    bool reached = false;
    std::vector<bool> op, value, result;             // result: per place in Function::results
    std::vector<int32_t> maker;                      // per value: op, -1 for a parameter
    std::vector<std::pair<size_t, size_t>> callers;  // function and op of the calls that are needed
  };

  void need(size_t f, ir::ValueId id) {
    if (id == ir::ValueId::none || functions_[f].value[ir::index(id)]) return;
    functions_[f].value[ir::index(id)] = true;
    work_.emplace_back(f, id);
  }

  void follow(size_t f, ir::ValueId id) {
    const int32_t maker = functions_[f].maker[ir::index(id)];
    if (maker < 0) {
      for (const auto& [caller, call] : functions_[f].callers) {
        const ir::Function& from = module_.functions[caller];
        need(caller, from.inputs(from.ops[call])[ir::index(id)]);
      }
      return;
    }
    const ir::Op& op = nth(module_.functions[f].ops, maker);
    need_op(f, static_cast<size_t>(maker));
    if (!op.is_call()) return;
    const auto callee                 = static_cast<size_t>(op.callee);
    const size_t number               = ir::index(id) - op.first_result;
    functions_[callee].result[number] = true;
    need(callee, module_.functions[callee].results[number]);
  }

  void need_op(size_t f, size_t o) {
    if (functions_[f].op[o]) return;
    functions_[f].op[o]          = true;
    const ir::Function& function = module_.functions[f];
    const ir::Op& op             = function.ops[o];
    const auto inputs            = function.inputs(op);
    if (!op.is_call()) {
      for (const ir::ValueId id : inputs) need(f, id);
      return;
    }
    const auto callee = static_cast<size_t>(op.callee);
    functions_[callee].callers.emplace_back(f, o);
    reach(callee);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (functions_[callee].value[i]) need(f, inputs[i]);
    }
  }

  // A function that is called does what it does. One that is called for its effects alone keeps a result, as a call has
  // one.
  void reach(size_t f) {
    if (functions_[f].reached) return;
    functions_[f].reached = true;
    if (effects_[f] && !functions_[f].result.empty()) {
      functions_[f].result[0] = true;
      need(f, module_.functions[f].results[0]);
    }
    for (size_t o = 0; o < module_.functions[f].ops.size(); ++o) {
      if (has_effect(module_.functions[f].ops[o], effects_)) need_op(f, o);
    }
  }

  const ir::Module& module_;
  const std::vector<bool> effects_;
  std::vector<Needed> functions_;
  std::vector<std::pair<size_t, ir::ValueId>> work_;
};

class Sweeper {
 public:
  explicit Sweeper(const ir::Module& module) : module_(module), marks_(module), place_(module.functions.size(), -1) {}

  ir::Module run() {
    ir::Module result;
    result.source = module_.source;
    for (size_t f = 0; f < module_.functions.size(); ++f) {
      if (!marks_.reached(f)) continue;
      place_[f] = static_cast<int32_t>(result.functions.size());
      result.functions.push_back(sweep(f));
    }
    return result;
  }

 private:
  ir::Function sweep(size_t f) const {
    const ir::Function& function = module_.functions[f];
    ir::FunctionBuilder builder(function.name, no_ops());
    builder.reserve(function.ops.size(), function.values.size(), function.operands.size());
    ValueMap map(function.values.size());
    for (size_t i = 0; i < function.parameters.size(); ++i) {
      const auto id = static_cast<ir::ValueId>(i);
      if (marks_.needs(f, id))
        map.set(id, builder.parameter(function.value(id).name, function.parameters[i], function.value(id).annotation));
    }
    for (size_t o = 0; o < function.ops.size(); ++o) {
      if (!marks_.needs_op(f, o)) continue;
      if (function.ops[o].is_call()) {
        copy_call(builder, function, function.ops[o], map);
      } else {
        copy_op(builder, function, function.ops[o], map);
      }
    }
    std::vector<ir::ValueId> results;
    for (size_t i = 0; i < function.results.size(); ++i) {
      if (marks_.needs_result(f, i)) results.push_back(map(function.results[i]));
    }
    return builder.finish(std::move(results));
  }

  // Copies a call, with those operands and results that its callee still has.
  void copy_call(ir::FunctionBuilder& builder, const ir::Function& function, const ir::Op& call, ValueMap& map) const {
    const auto callee = static_cast<size_t>(call.callee);
    std::vector<ir::ValueId> operands, kept;
    for (size_t i = 0; i < call.operand_count; ++i) {
      if (marks_.needs(callee, static_cast<ir::ValueId>(i))) operands.push_back(map(function.inputs(call)[i]));
    }
    for (size_t i = 0; i < call.result_count; ++i) {
      if (marks_.needs_result(callee, i)) kept.push_back(function.output(call, i));
    }
    const ir::ValueId first = builder.append(nullptr, place_[callee], call.attributes, operands, kept.size());
    for (size_t i = 0; i < kept.size(); ++i) {
      const auto result = static_cast<ir::ValueId>(ir::index(first) + i);
      map.set(kept[i], result);
      builder.set_name(result, function.value(kept[i]).name);
      builder.annotate(result, function.value(kept[i]).annotation);
    }
  }

  const ir::Module& module_;
  const LiveOps marks_;
  std::vector<int32_t> place_;  // per function: its index in the new module
};

}  // namespace

ir::Module eliminate_dead_code(const ir::Module& module) {
  ir::Module result = Sweeper(module).run();
  ir::verify(result, ir::Names::unique);
  return result;
}

namespace definitions::eliminate_dead_code {
PassDef row() {
  return {"eliminate_dead_code",
          "remove ops, calls and functions whose results are not used",
          {},
          [](const ir::Module& module, const ir::OpTable&, const PassArguments&) {
            return transform::eliminate_dead_code(module);
          }};
}
}  // namespace definitions::eliminate_dead_code

}  // namespace foreflow::transform
