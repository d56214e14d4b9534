#include "transform/replica/replica_function.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

template <class F>
void for_each_operand(const ir::Function& function, size_t o, F f) {
  for (const ValueId id : function.inputs(function.ops[o])) {
    if (id != ValueId::none) f(ir::index(id));
  }
}

// Values that the ops from `ops` on read, or that are returned.
std::vector<bool> read_outside(const ir::Function& function, size_t ops) {
  std::vector<bool> read(function.values.size());
  for (size_t o = ops; o < function.ops.size(); ++o)
    for_each_operand(function, o, [&](size_t value) { read[value] = true; });
  for (const ValueId id : function.results) read[ir::index(id)] = true;
  return read;
}

// Per value of the first `ops` ops: it depends on a parameter.
std::vector<bool> placed_values(const ir::Function& function, size_t ops) {
  std::vector<bool> placed(function.values.size());
  for (size_t i = 0; i < function.parameters.size(); ++i) placed[i] = true;
  for (size_t o = 0; o < ops; ++o) {
    bool any = false;
    for_each_operand(function, o, [&](size_t value) { any = any || placed[value]; });
    const ir::Op& op = function.ops[o];
    for (uint32_t i = 0; i < op.result_count; ++i) placed[op.first_result + i] = any;
  }
  return placed;
}

bool any_result(const ir::Op& op, const std::vector<bool>& marks) {
  for (uint32_t i = 0; i < op.result_count; ++i) {
    if (marks[op.first_result + i]) return true;
  }
  return false;
}

}  // namespace

ReplicaPart replica_part(const ir::Function& function, size_t ops) {
  std::vector<bool> outside      = read_outside(function, ops);
  const std::vector<bool> placed = placed_values(function, ops);
  std::vector<bool> inside(function.values.size());  // read by a kept op
  ReplicaPart part;
  part.kept.resize(ops);
  for (size_t o = ops; o-- > 0;) {
    const ir::Op& op = function.ops[o];
    const bool own   = any_result(op, placed);
    part.kept[o]     = own || any_result(op, inside);
    if (part.kept[o]) part.ops = ops;
    if (part.kept[o]) for_each_operand(function, o, [&](size_t value) { inside[value] = true; });
    if (own || !any_result(op, outside)) continue;
    part.ops_for_all.insert(part.ops_for_all.begin(), o);
    for_each_operand(function, o, [&](size_t value) { outside[value] = true; });
  }
  if (part.ops == 0) return {};
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    if (inside[i]) part.parameters.push_back(i);
  }
  for (size_t o = 0; o < ops; ++o) {
    const ir::Op& op = function.ops[o];
    for (uint32_t i = 0; i < op.result_count; ++i) {
      if (placed[op.first_result + i] && outside[op.first_result + i]) part.results.push_back(function.output(op, i));
    }
  }
  return part;
}

// Works in place, since a schedule of many microbatches has millions of values.
ir::Function replica_function(ir::Function function, const ReplicaPart& part, std::string name) {
  std::vector<ValueId> renumbered(function.values.size(), ValueId::none);
  size_t values = 0, ops = 0, operands = 0;
  const auto keep = [&](size_t value) {
    renumbered[value] = static_cast<ValueId>(values);
    function.values.move(value, values);
    ++values;
  };
  std::vector<ir::ParameterRole> roles;
  for (const size_t i : part.parameters) {
    keep(i);
    function.values.annotate(values - 1, nullptr);
    roles.push_back(function.parameters[i]);
  }
  for (size_t o = 0; o < part.ops; ++o) {
    if (!part.kept[o]) continue;
    ir::Op op         = std::move(function.ops[o]);
    const auto inputs = function.inputs(op);
    op.first_operand  = static_cast<uint32_t>(operands);
    for (const ValueId id : inputs)
      function.operands[operands++] = id == ValueId::none ? id : renumbered[ir::index(id)];
    const size_t first = values;
    for (uint32_t i = 0; i < op.result_count; ++i) keep(op.first_result + i);
    op.first_result     = static_cast<uint32_t>(first);
    function.ops[ops++] = std::move(op);
  }
  function.values.resize(values);
  function.ops.resize(ops);
  function.operands.resize(operands);
  function.parameters = std::move(roles);
  function.results.clear();
  for (const ValueId id : part.results) function.results.push_back(renumbered[ir::index(id)]);
  function.name = std::move(name);
  return function;
}

}  // namespace foreflow::transform
