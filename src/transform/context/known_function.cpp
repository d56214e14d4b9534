#include "transform/context/known_function.h"

#include "foreflow/base/nth.h"

namespace foreflow::transform {

using ir::ValueId;

KnownFunction::KnownFunction(const ir::Module& of)
    : module(of),
      function(of.entry()),
      known(interpret::interpret_mixed(of, of.functions.size() - 1)),
      makers(ir::makers_of(function)),
      readers(function) {}

const ir::Op* KnownFunction::made_by(ValueId id) const {
  const int32_t op = makers[ir::index(id)];
  return op < 0 ? nullptr : &nth(function.ops, op);
}

std::optional<double> KnownFunction::number(ValueId id) const {
  const ir::Array* numbers = elements(id);
  return numbers != nullptr && numbers->size() == 1 ? std::optional(numbers->at(0)) : std::nullopt;
}

std::optional<double> KnownFunction::factor_of(const ir::Op& op) const {
  const auto inputs = function.inputs(op);
  if (op.is_call() || op.def->name != "Mul" || inputs[0] == ValueId::none || inputs[1] == ValueId::none)
    return std::nullopt;
  return number(inputs[1]);
}

bool permutes(const ir::Op* op, const std::vector<int64_t>& dimensions) {
  return op != nullptr && !op->is_call() && op->def->copy == ir::Copy::permuted &&
         op->attributes->find_ints("perm") == dimensions;
}

bool is_reshape(const ir::Op& op) { return !op.is_call() && op.def->sizes == ir::Sizes::shape; }

}  // namespace foreflow::transform
