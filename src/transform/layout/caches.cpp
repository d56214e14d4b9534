#include "transform/layout/caches.h"

#include "foreflow/base/nth.h"

namespace foreflow::transform {
namespace {

constexpr size_t kRank = 4;

bool reads_cache(const ir::Op& op, size_t operand) {
  if (op.is_call()) return false;
  if (ir::writes_rows(op)) return operand == 0;
  const bool attends = op.def->attention || op.def->gradient_of == ir::GradientOf::attention;
  if (attends && (operand == 1 || operand == 2)) return true;
  const size_t past = op.def->past_keys;
  if (past > 0 && (operand == past || operand == past + 1)) return true;
  return operand == 1 && (op.def->product == ir::Product::matrices || op.def->product == ir::Product::turned);
}

// Puts the heads of [b,rows,heads,size] before the rows.
bool puts_heads_first(const ir::Op& op) {
  const auto order = op.attributes->find_ints("perm");
  return op.def->copy == ir::Copy::permuted && order && *order == std::vector<int64_t>{0, 2, 1, 3};
}

bool converts(const ir::Op& op) { return !op.is_call() && op.def->copy == ir::Copy::converted; }

}  // namespace

std::vector<bool> caches_of(const ir::Function& function) {
  const size_t count = function.parameters.size();
  std::vector<bool> read(count), other(count);
  std::vector<size_t> of(function.values.size(), count);  // per value: the parameter that it is, perhaps converted
  for (size_t i = 0; i < count; ++i) of[i] = i;
  for (const ir::Op& op : function.ops) {
    const auto inputs = function.inputs(op);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const size_t parameter = inputs[i] == ir::ValueId::none ? count : of[ir::index(inputs[i])];
      if (parameter == count) continue;
      if (converts(op)) {
        of[op.first_result] = parameter;
      } else {
        (reads_cache(op, i) ? read : other)[parameter] = true;
      }
    }
  }
  std::vector<bool> caches(count);
  for (size_t i = 0; i < count; ++i) {
    const ir::TypeRef& type = function.values[i].annotation;
    const bool shaped       = type != nullptr && type->is_tensor() && type->ranked && type->dims.size() == kRank;
    caches[i]               = function.parameters[i] == ir::ParameterRole::data && shaped && read[i] && !other[i];
  }
  return caches;
}

bool are_heads(const ir::Function& function, const std::vector<int32_t>& makers, ir::ValueId value) {
  const auto maker = [&](ir::ValueId made) -> const ir::Op* {
    const int32_t at = made == ir::ValueId::none ? -1 : nth(makers, ir::index(made));
    return at < 0 || nth(function.ops, at).is_call() ? nullptr : &nth(function.ops, at);
  };
  const ir::Op* op = maker(value);
  while (op != nullptr && converts(*op)) op = maker(function.inputs(*op)[0]);
  if (op == nullptr || !puts_heads_first(*op)) return false;
  const ir::Op* cut = maker(function.inputs(*op)[0]);
  return cut != nullptr && cut->def->sizes == ir::Sizes::shape;
}

bool gives_cache(const ir::Op& op, size_t number) {
  if (ir::writes_rows(op)) return number == 0;
  return !op.is_call() && op.def->past_keys > 0 && (number == 1 || number == 2);
}

}  // namespace foreflow::transform
