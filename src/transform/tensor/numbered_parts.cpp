#include "transform/tensor/numbered_parts.h"

#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/ir/op_def.h"

namespace foreflow::transform {
namespace {

// Returns true if the op is a Slice of one of `parts` rows along some dimension.
bool takes_one_part(const ir::Function& function, const interpret::Values<interpret::Mixed>& values, const ir::Op& op,
                    int64_t parts) {
  if (op.def->name != "Slice") return false;
  ir::Dims from      = values[ir::index(function.inputs(op)[0])].type.dims;
  const ir::Dims& to = values[op.first_result].type.dims;
  const auto [at, _] = std::mismatch(from.begin(), from.end(), to.begin(), to.end());
  if (at == from.end() || *at != parts) return false;
  nth(from, at - from.begin()) = 1;
  return from == to;
}

}  // namespace

bool is_taken_apart(const ir::Function& function, const interpret::Values<interpret::Mixed>& values, ir::ValueId id,
                    int64_t parts) {
  bool any = false;
  for (const ir::Op& op : function.ops) {
    const auto inputs = function.inputs(op);
    if (std::find(inputs.begin(), inputs.end(), id) == inputs.end()) continue;
    if (op.is_call()) return false;
    const ir::Copy copy = op.def->copy;
    const bool moves    = copy == ir::Copy::same || copy == ir::Copy::permuted || copy == ir::Copy::ones_moved;
    const bool row      = op.def->vocabulary.kind == ir::VocabularyForm::Kind::lookup && inputs[0] == id;
    const bool takes    = row || op.def->name == "Split" || takes_one_part(function, values, op, parts);
    if (!takes && !(moves && is_taken_apart(function, values, function.output(op, 0), parts))) return false;
    any = true;
  }
  return any;
}

}  // namespace foreflow::transform
