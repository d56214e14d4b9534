#include "lower/caches.h"

#include "foreflow/base/nth.h"

namespace foreflow::lower {
namespace {

// By function, as callees stand before their callers.
using TakenOver = std::vector<std::vector<bool>>;

bool takes_over(const ir::Op& op, size_t operand, const TakenOver& known) {
  if (op.is_call()) return nth(known, op.callee)[operand];
  return ir::writes_rows(op) && operand == 0;
}

std::vector<bool> of_function(const ir::Function& function, const TakenOver& known) {
  const size_t count = function.parameters.size();
  std::vector<bool> taken(count), other(count);
  for (const ir::Op& op : function.ops) {
    const auto inputs = function.inputs(op);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == ir::ValueId::none || ir::index(inputs[i]) >= count) continue;
      const size_t parameter = ir::index(inputs[i]);
      // A second writer would have to copy what the first has changed.
      const bool once                   = takes_over(op, i, known) && !taken[parameter];
      (once ? taken : other)[parameter] = true;
    }
  }
  for (const ir::ValueId id : function.results) {
    if (ir::index(id) < count) other[ir::index(id)] = true;
  }
  for (size_t i = 0; i < count; ++i) taken[i] = taken[i] && !other[i];
  return taken;
}

}  // namespace

std::vector<bool> taken_over(const ir::Module& module, size_t function) {
  TakenOver known;
  for (size_t i = 0; i <= function; ++i) known.push_back(of_function(module.functions[i], known));
  return known.back();
}

}  // namespace foreflow::lower
