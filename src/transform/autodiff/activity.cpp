#include "transform/autodiff/activity.h"

#include <algorithm>

namespace foreflow::transform {
namespace {

bool any(const std::vector<bool>& marks) { return std::find(marks.begin(), marks.end(), true) != marks.end(); }

size_t callee_of(const Interpreted& program, size_t number, size_t op) {
  return static_cast<size_t>(program.instance(number).callee[op]);
}

}  // namespace

bool is_floating(const ir::Type& type) {
  if (type.is_tuple()) return std::any_of(type.elements.begin(), type.elements.end(), is_floating);
  const bool number = type.is_tensor() || type.kind == ir::Type::Kind::scalar;
  return number && ir::is_float(type.dtype);
}

std::vector<bool> marks_of_inputs(const ir::Function& function, const ir::Op& op, const std::vector<bool>& marks) {
  std::vector<bool> result;
  for (const ir::ValueId id : function.inputs(op)) result.push_back(id != ir::ValueId::none && marks[ir::index(id)]);
  return result;
}

std::vector<bool> marks_of_results(const ir::Op& op, const std::vector<bool>& marks) {
  const auto first = marks.begin() + op.first_result;
  return {first, first + op.result_count};
}

std::vector<bool> active_values(const Interpreted& program, size_t number, const std::vector<bool>& parameters) {
  const ir::Function& function = program.function(number);
  const auto& values           = program.instance(number).values;
  std::vector<bool> active     = parameters;
  active.resize(function.values.size());
  for (size_t o = 0; o < function.ops.size(); ++o) {
    const ir::Op& op               = function.ops[o];
    const std::vector<bool> inputs = marks_of_inputs(function, op, active);
    if (!any(inputs)) continue;
    std::vector<bool> results(op.result_count, true);
    if (op.is_call()) {
      const size_t callee           = callee_of(program, number, o);
      const std::vector<bool> inner = active_values(program, callee, inputs);
      const auto& returned          = program.function(callee).results;
      for (size_t i = 0; i < returned.size(); ++i) results[i] = inner[ir::index(returned[i])];
    }
    for (size_t i = 0; i < results.size(); ++i) {
      active[op.first_result + i] = results[i] && is_floating(values[op.first_result + i].type);
    }
  }
  return active;
}

std::vector<bool> reached_values(const Interpreted& program, size_t number, const std::vector<bool>& active,
                                 const std::vector<bool>& results) {
  const ir::Function& function = program.function(number);
  std::vector<bool> reached(function.values.size());
  const auto reach = [&](ir::ValueId id) {
    if (id != ir::ValueId::none && active[ir::index(id)]) reached[ir::index(id)] = true;
  };
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i]) reach(function.results[i]);
  }
  for (size_t o = function.ops.size(); o-- > 0;) {
    const ir::Op& op               = function.ops[o];
    const std::vector<bool> wanted = marks_of_results(op, reached);
    if (!any(wanted)) continue;
    std::vector<bool> inputs(op.operand_count, true);
    if (op.is_call()) {
      const size_t callee = callee_of(program, number, o);
      const auto inside   = active_values(program, callee, marks_of_inputs(function, op, active));
      inputs              = reached_values(program, callee, inside, wanted);
    }
    for (size_t i = 0; i < op.operand_count; ++i) {
      if (inputs[i]) reach(function.inputs(op)[i]);
    }
  }
  return reached;
}

}  // namespace foreflow::transform
