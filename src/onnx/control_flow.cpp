#include "onnx/control_flow.h"

#include "onnx/message.h"
#include "onnx/port.h"

namespace foreflow::onnx {

using ir::ValueId;

Expand find_control_flow(std::string_view op) {
  if (op == "If") return expansions::branch;
  if (op == "Loop") return expansions::loop;
  if (op == "SequenceMap") return expansions::sequence_map;
  return op == "Scan" ? expansions::scan : nullptr;
}

std::vector<ValueId> select(const ControlNode& node, ValueId condition, std::span<const ValueId> yes,
                            std::span<const ValueId> no, const std::string& what) {
  std::vector<ValueId> results;
  const ir::Type& type = node.emitter.type(condition);
  if (type.is_tensor() && type.ranked && !type.dims.empty()) {  // one truth in brackets
    condition = node.op("Squeeze", {condition});
  }
  for (size_t i = 0; i < yes.size(); ++i) {
    const auto *first = node.emitter.elements(yes[i]), *second = node.emitter.elements(no[i]);
    if (first != nullptr && second != nullptr && first->size() == second->size()) {
      const std::vector<ValueId> of_yes = *first, of_no = *second;
      results.push_back(node.emitter.sequence(select(node, condition, of_yes, of_no, "element")));
      continue;
    }
    const ir::Type &a = node.emitter.type(yes[i]), &b = node.emitter.type(no[i]);
    if (!a.resolved() || !b.resolved() || !(a == b)) {
      throw Error(node.where,
                  node.proto.op_type() + " depends on a condition that is known at run time only, and " + what +
                      " number " + std::to_string(i) + " is " + ir::to_string(a) + " or " + ir::to_string(b) +
                      "; both should be known and the same: give the inputs' shapes, or a constant condition" +
                      numbers_of(node, condition));
    }
    results.push_back(node.op("Where", {condition, yes[i], no[i]}));
  }
  return results;
}

std::string numbers_of(const ControlNode& node, ValueId condition) {
  const std::string inputs = node.emitter.inputs_of(condition);
  return inputs.empty() ? "" : ", or give the numbers of " + inputs + ", on which it depends";
}

ValueId stacked(const ControlNode& node, const std::vector<ValueId>& rounds, int64_t axis,
                const onnx_proto::ValueInfoProto& declared) {
  if (rounds.empty()) {
    const auto type = stated_type(declared, node.where);
    if (!type || !type->resolved()) {
      throw Error(node.where, node.proto.op_type() + " makes no round, so that the shape of its result " +
                                  quote(declared.name()) + " is not known; state it in the body");
    }
    ir::Dims dims = type->dims;
    dims.insert(static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(dims.size()) + 1 : axis), 0);
    return node.emitter.constant(ir::Array(type->dtype, dims));
  }
  std::vector<ValueId> slices;
  for (const ValueId round : rounds)
    slices.push_back(node.op("Unsqueeze", {round}, {{"axes", std::vector<int64_t>{axis}}}));
  return node.op("Concat", slices, {{"axis", axis}});
}

void check_size(const ControlNode& node) {
  constexpr size_t kMostOps = 1'000'000;
  if (node.emitter.size() > kMostOps) {
    throw Error(node.where, node.proto.op_type() + " grows beyond " + std::to_string(kMostOps) +
                                " ops when its rounds are written out; give it fewer");
  }
}

namespace {

// A branch that may not be the one that is taken, and that then need not fit.
std::vector<ValueId> branch_of(const ControlNode& node, std::string_view name) {
  try {
    return node.inlined(name, {});
  } catch (const Error& error) {
    const std::string inputs = node.emitter.inputs_of(node.input(0));
    if (inputs.empty()) throw;
    throw Error(error.where(), error.problem() + "; whether this branch is taken depends on the numbers of " + inputs +
                                   ": give them (--input, or \"inputs\" in a workload)");
  }
}

}  // namespace

namespace expansions {

std::vector<ValueId> branch(const ControlNode& node) {
  if (const auto condition = node.emitter.number(node.input(0)))
    return node.inlined(*condition != 0 ? "then_branch" : "else_branch", {});
  if (node.input(0) == ValueId::none) throw Error(node.where, "If needs a condition");
  const auto yes = branch_of(node, "then_branch"), no = branch_of(node, "else_branch");
  if (yes.size() != no.size()) throw Error(node.where, "the branches of If should have equally many results");
  return select(node, node.input(0), yes, no, "result");
}

}  // namespace expansions

}  // namespace foreflow::onnx
