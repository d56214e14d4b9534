#include "transform/context/gradient_sums.h"

#include <algorithm>

namespace foreflow::transform {

std::vector<bool> leads_to_optimizers(const ir::Function& function,
                                      const std::function<const Layout&(size_t value)>& layout_of) {
  std::vector<bool> read(function.values.size()), elsewhere(function.values.size());
  for (const ir::ValueId id : function.results) elsewhere[ir::index(id)] = true;
  for (size_t o = function.ops.size(); o-- > 0;) {
    const ir::Op& op = function.ops[o];
    bool leads       = op.def->role == ir::Role::optimizer;
    if (!leads) {
      leads = op.result_count > 0;
      for (size_t value = op.first_result; value < op.first_result + op.result_count; ++value)
        leads = leads && read[value] && !elsewhere[value] && (op.def->reshards || !layout_of(value).is_split());
    }
    for (const ir::ValueId id : function.inputs(op)) {
      if (id == ir::ValueId::none) continue;
      read[ir::index(id)]      = true;
      elsewhere[ir::index(id)] = elsewhere[ir::index(id)] || !leads;
    }
  }
  for (size_t value = 0; value < read.size(); ++value) read[value] = read[value] && !elsewhere[value];
  return read;
}

}  // namespace foreflow::transform
