#include "transform/context/expert_gathers.h"

#include <algorithm>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/ir/uses.h"
#include "transform/rewrite/factor_text.h"
#include "transform/rewrite/op_types.h"

namespace foreflow::transform {

int32_t expert_dimension(const ir::OpCall& call, size_t operand) {
  if (call.def.role != ir::Role::compute) return -1;
  const FactorText text = parse_factors(call.def.factors(call).text);
  if (operand >= text.inputs.size() || text.outputs.size() != 1) return -1;
  bool contracts = false;
  int32_t batch  = -1;
  for (size_t dim = 0; dim < text.inputs[operand].size(); ++dim) {
    const char letter = text.inputs[operand][dim];
    if (letter == '.') continue;
    const bool kept   = text.outputs[0].find(letter) != std::string::npos;
    const bool shared = std::any_of(text.inputs.begin(), text.inputs.end(), [&](const std::string& input) {
      return &input != &text.inputs[operand] && input.find(letter) != std::string::npos;
    });
    contracts         = contracts || (shared && !kept);
    if (shared && kept && batch < 0) batch = static_cast<int32_t>(dim);
  }
  return contracts ? batch : -1;
}

namespace {

class GatherFinder {
 public:
  GatherFinder(const ir::Function& function, const interpret::Values<interpret::Mixed>& values)
      : function_(function), values_(values), readers_(function) {
    for (const ir::Op& op : function.ops) {
      const auto inputs = function.inputs(op);
      for (size_t i = 0; i < inputs.size(); ++i) {
        const bool weight = inputs[i] != ir::ValueId::none && ir::index(inputs[i]) < function.parameters.size() &&
                            function.parameters[ir::index(inputs[i])] == ir::ParameterRole::weight;
        if (weight && dims(inputs[i]).size() == 3 && batch(op, i) == 0) experts_.insert(dims(inputs[i])[0]);
      }
    }
  }

  std::vector<bool> run() const {
    std::vector<bool> found(function_.ops.size());
    for (size_t o = 0; o < function_.ops.size() && !experts_.empty(); ++o) {
      const ir::Op& op = function_.ops[o];
      if (op.def->role != ir::Role::communication || op.result_count < 2) continue;
      bool gathers = true;
      for (uint32_t i = 0; i < op.result_count && gathers; ++i) {
        const ir::ValueId whole = function_.output(op, i), part = function_.inputs(op)[i];
        gathers = is_of_experts(whole) && is_of_experts(part) && bytes(whole) > bytes(part) && is_multiplied(whole);
      }
      found[o] = gathers;
    }
    return found;
  }

 private:
  const ir::Dims& dims(ir::ValueId id) const { return values_[ir::index(id)].type.dims; }
  Bytes bytes(ir::ValueId id) const { return ir::bytes_of(values_[ir::index(id)].type); }
  int32_t batch(const ir::Op& op, size_t operand) const {
    return expert_dimension(OpTypes(function_, op, values_).call(), operand);
  }
  bool is_of_experts(ir::ValueId id) const {
    return id != ir::ValueId::none && values_[ir::index(id)].type.is_tensor() && dims(id).size() > 2 &&
           experts_.contains(dims(id)[0]);
  }

  // Returns true if it has readers, and all of them multiply it expert by expert, or what they see of it.
  bool is_multiplied(ir::ValueId id) const {
    const auto readers = readers_[ir::index(id)];
    return !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](int32_t reader) {
      const ir::Op& op  = nth(function_.ops, reader);
      const auto inputs = function_.inputs(op);
      const auto place  = static_cast<size_t>(std::find(inputs.begin(), inputs.end(), id) - inputs.begin());
      if (batch(op, place) == 0) return true;
      const bool sees = (op.def->role == ir::Role::view || op.def->copy == ir::Copy::converted) &&
                        op.result_count == 1 && is_of_experts(function_.output(op, 0));
      return sees && is_multiplied(function_.output(op, 0));
    });
  }

  const ir::Function& function_;
  const interpret::Values<interpret::Mixed>& values_;
  const ir::Readers readers_;
  std::set<int64_t> experts_;  // the numbers of experts that weights have
};

}  // namespace

std::vector<bool> expert_gathers(const ir::Function& function, const interpret::Values<interpret::Mixed>& values) {
  return GatherFinder(function, values).run();
}

}  // namespace foreflow::transform
