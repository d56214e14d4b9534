#include "transform/rewrite/drop_uncalled.h"

#include "foreflow/base/nth.h"

namespace foreflow::transform {

ir::Module drop_uncalled(ir::Module module) {
  std::vector<bool> called(module.functions.size());
  called.back() = true;
  for (size_t f = module.functions.size(); f-- > 0;) {
    if (!called[f]) continue;
    for (const ir::Op& op : module.functions[f].ops) {
      if (op.is_call()) nth(called, op.callee) = true;
    }
  }
  std::vector<int32_t> place(module.functions.size(), -1);
  ir::Module kept;
  kept.source = module.source;
  for (size_t f = 0; f < module.functions.size(); ++f) {
    if (!called[f]) continue;
    place[f] = static_cast<int32_t>(kept.functions.size());
    for (ir::Op& op : module.functions[f].ops) {
      if (op.is_call()) op.callee = nth(place, op.callee);
    }
    kept.functions.push_back(std::move(module.functions[f]));
  }
  return kept;
}

}  // namespace foreflow::transform
